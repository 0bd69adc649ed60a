import { NoAnswerError } from './no-answer-error.ts'
import { readProblem, unexpected } from './problem-error.ts'

export interface Wire {
  readonly server: string
  /** An answer that is ok. Throws ProblemError, NoAnswerError, or whatever the signal was aborted with. */
  ask(path: string, request?: WireRequest): Promise<Response>
  /** Waits for a part of an answer; throws as above. */
  receive<T>(part: Promise<T>, signal: AbortSignal | undefined): Promise<T>
  /** The JSON that an answer holds. */
  read<T>(response: Response, signal: AbortSignal | undefined): Promise<T>
}

export interface WireRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal | undefined
}

export interface WireOptions {
  readonly server: string
  readonly key?: string | undefined
  readonly fetch?: typeof fetch | undefined
}

export function createWire({ server: given, key, fetch: fetchWith }: WireOptions): Wire {
  const server = checkServer(given)
  const authorization: Record<string, string> =
    key === undefined ? {} : { authorization: `Bearer ${checkKey(key)}` }
  // Called by its name: a browser's own may be called as no one's method.
  const send: typeof fetch = fetchWith ?? ((...request) => fetch(...request))

  const receive: Wire['receive'] = async (part, signal) => {
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
    async ask(path, { method = 'GET', headers, body, signal } = {}) {
      const asked = send(server + path, {
        method,
        headers: { ...headers, ...authorization },
        // The service leads nowhere else. Whoever does is in between, and must not get the key.
        redirect: 'manual',
        ...(body !== undefined && { body }),
        ...(signal && { signal }),
      })
      const response = await receive(asked, signal)
      if (response.ok) return response
      // What broke off says nothing more than its status.
      const said = await response.text().catch(() => '')
      signal?.throwIfAborted()
      throw readProblem(response, said)
    },
    async read(response, signal) {
      const text = await receive(response.text(), signal)
      try {
        return JSON.parse(text)
      } catch {
        throw unexpected(response, `answered ${response.status}, but not with JSON`)
      }
    },
  }
}

/** Without the slashes at its end: paths bring their own. */
function checkServer(server: string): string {
  const { username, password } = URL.canParse(server) ? new URL(server) : {}
  if (username || password) throw new TypeError('the server is an address without a user name or a password')
  return server.replace(/\/+$/, '')
}

/** Here, and in words of ours: whoever sends a header that is none repeats it in an error. */
function checkKey(key: string): string {
  const trimmed = key.trim()
  if (!/^[\x21-\x7e]+$/.test(trimmed)) throw new TypeError('the key must be visible ASCII characters')
  return trimmed
}
