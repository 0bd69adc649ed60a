import { setTimeout as sleep } from 'node:timers/promises'

/** More clients than that are not remembered if they need not wait. */
const MOST_REMEMBERED = 1_000

/**
 * Keeps a distance between requests of one client that cost everyone time: in memory, on the disk, in the database. The first one
 * never waits.
 */
export class Pace {
  /** When the next one may begin, by client. By the monotonic clock. */
  readonly #next = new Map<string, number>()

  /** Waits for those before. `ms`: the distance to the next one. */
  async wait(client: string, ms: number): Promise<void> {
    const now = performance.now()
    const begin = this.spend(client, ms, now)
    if (begin > now) await sleep(begin - now)
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

/** The cost of a large request: 8 MB in a second. */
export function msOfBytes(bytes: number): number {
  return bytes / 8_000
}
