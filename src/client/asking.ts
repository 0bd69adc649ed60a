import { pathTo } from '../contract/paths.ts'
import { followListPages, type ListQuery } from './list-pages.ts'
import { NoAnswerError, pause } from './patience.ts'
import { type ClientOptions, createWire } from './wire.ts'

export interface AskOptions {
  readonly signal?: AbortSignal | undefined
}

export interface ListOptions extends AskOptions {
  /** The most items on one list page. */
  readonly limit?: number | undefined
}

/** What was read, with its version. `version` goes into `ChangeOptions`. */
export type Versioned<T> = T & { readonly version: string | undefined }

export interface ChangeOptions extends AskOptions {
  /** The version that was read. If it has changed since, a `ProblemError` with the code `precondition_failed` is thrown. */
  readonly version?: string | undefined
}

export interface RequestOptions extends AskOptions {
  /** A second request with the same key is not done again. Without it, the client makes one. */
  readonly idempotencyKey?: string | undefined
}

/** One list page after the other, each fetched when it is needed. A list page may be empty although others follow. */
export type ListPages<T> = AsyncGenerator<T[], void, undefined>

export type Asking = ReturnType<typeof createAsking>

/** The pause before a request for screenshots is repeated. */
const REPEAT_MS = 300

export function createAsking(options: ClientOptions) {
  const wire = createWire(options)
  const to = (path: string, ...ids: readonly string[]) => pathTo(path, ...ids.map(id))
  const fetchFrom = (path: string, { signal }: AskOptions = {}) => wire.ask(path, { signal })
  const get = async <T>(path: string, options: AskOptions = {}): Promise<T> =>
    await wire.read<T>(await fetchFrom(path, options), options.signal)
  const list = <T>(path: string, options: ListQuery): ListPages<T> =>
    followListPages<T[]>(wire, path, options)
  const write = async <T>(
    method: string,
    path: string,
    body: unknown,
    { signal, version, idempotencyKey }: ChangeOptions & RequestOptions = {},
  ) => {
    const headers = {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(version !== undefined && { 'if-match': version }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    }
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await wire.ask(path, { method, headers, ...text, signal })
    return response.status === 204 ? (undefined as T) : await wire.read<T>(response, signal)
  }
  const remove = <T = void>(path: string, options?: ChangeOptions) =>
    write<T>('DELETE', path, undefined, options)
  /** For roots. If no answer comes, it asks once more with the same key. */
  const request = async (path: string, body: unknown, options: RequestOptions = {}) => {
    const asked = { ...options, idempotencyKey: options.idempotencyKey ?? randomText() }
    const ask = () => write<{ jobId: string }>('POST', path, body, asked)
    return await ask().catch(async (error) => {
      if (!(error instanceof NoAnswerError)) throw error
      await pause(REPEAT_MS, options.signal)
      return await ask()
    })
  }
  /** For things that a project owns. */
  const owned = <Thing, Body>(all: string, one: string) => ({
    list: (projectId: string, options: ListOptions = {}): ListPages<Thing> =>
      list(to(all, projectId), options),
    get: async (projectId: string, id: string, options: AskOptions = {}): Promise<Versioned<Thing>> => {
      const response = await fetchFrom(to(one, projectId, id), options)
      const version = response.headers.get('etag') ?? undefined
      return { ...(await wire.read<Thing>(response, options.signal)), version }
    },
    create: (projectId: string, body: Body, options?: AskOptions): Promise<Thing> =>
      write('POST', to(all, projectId), body, options),
    change: (projectId: string, id: string, body: Body, options?: ChangeOptions): Promise<Thing> =>
      write('PUT', to(one, projectId, id), body, options),
    remove: (projectId: string, id: string, options?: ChangeOptions): Promise<void> =>
      remove(to(one, projectId, id), options),
  })
  return { wire, to, fetchFrom, get, list, write, remove, request, owned }
}

/** One step of a path, from any text. Dots alone would lead to another path, so they become `-`, which is no id. */
function id(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/^\.\.?$/, '-')
}

/** Not `randomUUID`: browsers have it only over https. */
function randomText(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(36)).join('-')
}
