import type { Logger } from 'pino'
import { type SweptStorage, sweepOrphans } from './orphans.ts'

const EVERY_MS = 3_600_000
/** Every file is checked, so once a day is enough. The first time is an hour after the start. */
const ORPHANS_EVERY = 24
const PAUSE_MS = 50

/** Removes what killed processes left, from time to time and slowly. */
export class Sweeps {
  /** What this process has removed: files that no row points at, and pictures that were never published. */
  readonly removed = { orphans: 0, staging: 0 }
  readonly #storage: SweptStorage
  readonly #log: Pick<Logger, 'info' | 'warn'>
  readonly #closing = new AbortController()
  readonly #timer: NodeJS.Timeout
  #count = 0
  #last: Promise<void> = Promise.resolve()

  constructor(storage: SweptStorage, log: Pick<Logger, 'info' | 'warn'>, everyMs = EVERY_MS) {
    this.#storage = storage
    this.#log = log
    this.#timer = setInterval(() => {
      this.#last = this.#last.then(() => this.#sweep())
    }, everyMs).unref()
  }

  async #sweep(): Promise<void> {
    if (this.#closing.signal.aborted) return
    const began = performance.now()
    try {
      const staging = await this.#storage.images.tidy()
      this.removed.staging += staging
      if (this.#count++ % ORPHANS_EVERY !== 0) return
      const options = { now: Date.now(), pauseMs: PAUSE_MS, signal: this.#closing.signal }
      const swept = await sweepOrphans(this.#storage, options)
      this.removed.orphans += swept.removed
      const ms = Math.round(performance.now() - began)
      this.#log.info({ ...swept, staging, ms }, 'swept: removed files that no row points at')
    } catch (error) {
      if (this.#closing.signal.aborted) return
      this.#log.warn({ err: error }, 'could not sweep: looking for files that no row points at failed')
    }
  }

  /** A running sweep ends at its next step. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#closing.abort()
    await this.#last
  }
}
