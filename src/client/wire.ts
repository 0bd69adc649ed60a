import { NoAnswerError } from './patience.ts'
import { readProblem, unexpected } from './problem-error.ts'

export interface ClientOptions {
  /** The address of the service: `https://shots.example.com`. Empty in a browser: the server of the page. */
  readonly server: string
  /** Sent as `Authorization`, to this server only. */
  readonly key?: string | undefined
  readonly fetch?: typeof fetch | undefined
}

export interface WireRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal | undefined
}

export type Wire = ReturnType<typeof createWire>

export function createWire({ server: given, key, fetch: fetchWith }: ClientOptions) {
  const server = checkServer(given)
  const authorization: Record<string, string> =
    key === undefined ? {} : { authorization: `Bearer ${checkKey(key)}` }
  // A browser's `fetch` must not be called as a method of another object.
  const send: typeof fetch = fetchWith ?? ((...request) => fetch(...request))

  /** Waits for a part of an answer. Throws NoAnswerError, or the signal's reason. */
  const receive = async <T>(part: Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
    try {
      return await part
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      throw new NoAnswerError(server, cause)
    }
  }
  return {
    server,
    receive,
    /** Returns an answer that is ok. Throws as above, and ProblemError. */
    async ask(path: string, { method = 'GET', headers, body, signal }: WireRequest = {}): Promise<Response> {
      const asked = send(server + path, {
        method,
        headers: { ...headers, ...authorization },
        // The service sends no redirects. A proxy may, and another server must not get the key.
        redirect: 'manual',
        ...(body !== undefined && { body }),
        ...(signal && { signal }),
      })
      const response = await receive(asked, signal)
      if (response.ok) return response
      // The body broke off: only the status is known.
      const said = await response.text().catch(() => '')
      signal?.throwIfAborted()
      throw readProblem(response, said)
    },
    async read<T>(response: Response, signal: AbortSignal | undefined): Promise<T> {
      const text = await receive(response.text(), signal)
      try {
        return JSON.parse(text)
      } catch {
        throw unexpected(response, `answered ${response.status}, but not with JSON`)
      }
    },
  }
}

/** Removes slashes at the end: paths begin with one. */
function checkServer(server: string): string {
  const { username, password } = URL.canParse(server) ? new URL(server) : {}
  if (username || password) throw new TypeError('the server address must not have a user name or a password')
  return server.replace(/\/+$/, '')
}

/** Checked here, because the error of `fetch` would contain the key. */
function checkKey(key: string): string {
  const trimmed = key.trim()
  if (!/^[\x21-\x7e]+$/.test(trimmed)) throw new TypeError('the key must consist of visible ASCII characters')
  return trimmed
}
