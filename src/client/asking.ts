import { pathTo } from '../contract/paths.ts'
import { followListPages, type ListQuery } from './list-pages.ts'
import { NoAnswerError, pause } from './patience.ts'
import { createWire, type Wire, type WireOptions } from './wire.ts'

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

interface WriteOptions extends ChangeOptions {
  readonly idempotencyKey?: string | undefined
}

/** The ways to ask the service. */
export interface Asking {
  readonly wire: Wire
  /** A path, with its parameters. */
  to(path: Parameters<typeof pathTo>[0], ...ids: readonly string[]): string
  fetchFrom(path: string, options?: AskOptions): Promise<Response>
  get<T>(path: string, options?: AskOptions): Promise<T>
  getVersioned<T>(path: string, options?: AskOptions): Promise<Versioned<T>>
  /** One list page after the other. */
  list<T>(path: string, options: ListQuery): AsyncGenerator<T, void, undefined>
  write<T>(method: string, path: string, body: unknown, options?: WriteOptions): Promise<T>
  /** For roots. If no answer comes, it asks once more with the same idempotency key. */
  request(path: string, body: unknown, options?: RequestOptions): Promise<{ jobId: string }>
}

/** The pause before a request for screenshots is repeated. */
const REPEAT_MS = 300

export function createAsking(options: WireOptions): Asking {
  const wire = createWire(options)
  const fetchFrom = (path: string, { signal }: AskOptions = {}) => wire.ask(path, { signal })
  const get = async <T>(path: string, options: AskOptions = {}): Promise<T> =>
    await wire.read<T>(await fetchFrom(path, options), options.signal)
  const write = async <T>(method: string, path: string, body: unknown, options: WriteOptions = {}) => {
    const { signal, version, idempotencyKey } = options
    const headers = {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(version !== undefined && { 'if-match': version }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    }
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await wire.ask(path, { method, headers, ...text, signal })
    return response.status === 204 ? (undefined as T) : await wire.read<T>(response, signal)
  }
  const getVersioned = async <T>(path: string, options: AskOptions = {}): Promise<Versioned<T>> => {
    const response = await fetchFrom(path, options)
    const version = response.headers.get('etag') ?? undefined
    return { ...(await wire.read<T>(response, options.signal)), version }
  }
  /** If no answer comes, asks once more with the same key. */
  const request = async (path: string, body: unknown, options: RequestOptions = {}) => {
    const asked = { ...options, idempotencyKey: options.idempotencyKey ?? randomText() }
    const ask = () => write<{ jobId: string }>('POST', path, body, asked)
    return await ask().catch(async (error) => {
      if (!(error instanceof NoAnswerError)) throw error
      await pause(REPEAT_MS, options.signal)
      return await ask()
    })
  }
  const to = (path: Parameters<typeof pathTo>[0], ...ids: readonly string[]) => pathTo(path, ...ids.map(id))

  return {
    wire,
    to,
    fetchFrom,
    get,
    getVersioned,
    list: (path, options) => followListPages(wire, path, options),
    write,
    request,
  }
}

/** One step of a path, from any text. Dots alone would lead to another path, so they become `-`, which is no id. */
function id(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/^\.\.?$/, '-')
}

/** Not `randomUUID`: browsers have it only over https. */
function randomText(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(36)).join('-')
}
