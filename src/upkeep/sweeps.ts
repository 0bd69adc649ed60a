import type { Logger } from 'pino'
import { finishRemovals } from './finish-removals.ts'
import { forgetDeliveries, type KeptDeliveries } from './forget-deliveries.ts'
import { forgetSessions } from './forget-sessions.ts'
import { sweepOrphans } from './orphans.ts'
import type { StoreAndImages } from './remove-pictures.ts'
import { trimEvents } from './trim-events.ts'

const EVERY_MS = 3_600_000
/** Every file is checked, so once a day is enough. The first time is an hour after the start. */
const ORPHANS_EVERY = 24
const PAUSE_MS = 50
/**
 * Whatever is kept for a time is forgotten by a time that passes at most this often as fast as it does. So a clock that jumps ahead
 * for a while costs some hours of it, and after a long time out of service it is still caught up.
 */
const FASTEST = 6

export interface SweepsOptions {
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly kept: KeptDeliveries
  readonly everyMs?: number
}

/** Regular work, done slowly: removes what killed processes left, and what is kept only for a time. */
export class Sweeps {
  /** What this process has removed: files that no row points at, and pictures that were never published. */
  readonly removed = { orphans: 0, staging: 0 }
  readonly #storage: StoreAndImages
  readonly #log: Pick<Logger, 'info' | 'warn'>
  readonly #kept: KeptDeliveries
  readonly #closing = new AbortController()
  readonly #timer: NodeJS.Timeout
  #count = 0
  /** By the monotonic clock. */
  #lastSweep = performance.now()
  #last: Promise<void> = Promise.resolve()

  constructor(storage: StoreAndImages, { log, kept, everyMs = EVERY_MS }: SweepsOptions) {
    this.#storage = storage
    this.#log = log
    this.#kept = kept
    this.#timer = setInterval(() => {
      this.#last = this.#last.then(() => this.#sweep())
    }, everyMs).unref()
  }

  /** One step that fails does not keep the others from being done. */
  async #sweep(): Promise<void> {
    const { store, images } = this.#storage
    await this.#try('remove what was never published', async () => {
      this.removed.staging += await images.tidy()
    })
    const [before, passed] = [this.#lastSweep, performance.now()]
    let now = Number.NaN
    await this.#try('find out what is old', async () => {
      now = await store.followTime('sweeps', { now: Date.now(), most: (passed - before) * FASTEST })
      this.#lastSweep = passed
    })
    if (this.#lastSweep === before) return
    const options = { now, pauseMs: PAUSE_MS, signal: this.#closing.signal }
    await this.#try('trim events', () => trimEvents(store.events, options))
    await this.#try('forget deliveries', () => forgetDeliveries(store.deliveries, this.#kept, options))
    await this.#try('forget ended sessions', () => forgetSessions(store.endedSessions, options))
    await this.#try('end removals', () => finishRemovals(this.#storage, options))
    if (this.#count++ % ORPHANS_EVERY !== 0) return
    await this.#try('look for files that no row points at', async () => {
      const began = performance.now()
      const swept = await sweepOrphans(this.#storage, options)
      this.removed.orphans += swept.removed
      const ms = Math.round(performance.now() - began)
      this.#log.info({ ...swept, ms }, 'swept: files that no row points at')
    })
  }

  async #try(what: string, step: () => Promise<void>): Promise<void> {
    if (this.#closing.signal.aborted) return
    try {
      await step()
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#log.warn({ err: error }, `could not ${what}`)
    }
  }

  /** A running sweep ends at its next step. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#closing.abort()
    await this.#last
  }
}
