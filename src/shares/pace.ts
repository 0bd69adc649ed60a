import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../errors.ts'

/** More clients than that are not remembered if they need not wait. */
const MOST_REMEMBERED = 1_000

/**
 * Keeps a distance between requests of one client that cost everyone time: in memory, on the disk, in the database. The first one
 * never waits.
 */
export class Pace {
  /** When the next one may begin, by client. By the monotonic clock. */
  readonly #next = new Map<string, number>()
  readonly #closing = new AbortController()

  /** Waits for those before. `ms`: the distance to the next one. Throws if the client has gone meanwhile, or the service stops. */
  async wait(client: string, ms: number, gone: AbortSignal): Promise<void> {
    const now = performance.now()
    const begin = this.spend(client, ms, now)
    if (begin <= now) return
    const closing = this.#closing.signal
    await sleep(begin - now, undefined, { signal: AbortSignal.any([gone, closing]) }).catch(() => {
      throw closing.aborted
        ? new AppError('unavailable', 'the service is stopping')
        : new AppError('bad_request', 'the client has gone')
    })
  }

  /** Nothing waits any more. */
  close(): void {
    this.#closing.abort()
  }

  /** Only the next one waits. Returns when this one may begin. */
  spend(client: string, ms: number, now: number = performance.now()): number {
    const begin = Math.max(now, this.#next.get(client) ?? 0)
    this.#next.set(client, begin + ms)
    if (this.#next.size > MOST_REMEMBERED) this.#forget(now)
    return begin
  }

  #forget(now: number): void {
    for (const [client, next] of this.#next) if (next <= now) this.#next.delete(client)
  }
}

/** The cost of reading much: 8 MB in a second. */
export function msOfBytes(bytes: number): number {
  return bytes / 8_000
}

/** The cost of storing much, 1 MB in a second: SQLite writes in this thread, and everyone waits for the disk. */
export function msOfStored(bytes: number): number {
  return bytes / 1_000
}
