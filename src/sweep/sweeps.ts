import type { Logger } from 'pino'
import { type Place, sweepOrphans } from './orphans.ts'

const EVERY_MS = 3_600_000
/** Every file is looked at: once a day is enough, and the first time when the process has run for an hour. */
const ORPHANS_EVERY = 24
const PAUSE_MS = 50

/** Removes what killed processes have left, from time to time and slowly. */
export class Sweeps {
  /** Files that nobody points at, and batches that never arrived, which this process has removed. */
  readonly removed = { orphans: 0, staging: 0 }
  readonly #place: Place
  readonly #log: Pick<Logger, 'info' | 'warn'>
  readonly #closing = new AbortController()
  readonly #timer: NodeJS.Timeout
  #count = 0
  #last: Promise<void> = Promise.resolve()

  constructor(place: Place, log: Pick<Logger, 'info' | 'warn'>, everyMs = EVERY_MS) {
    this.#place = place
    this.#log = log
    this.#timer = setInterval(() => {
      this.#last = this.#last.then(() => this.#sweep())
    }, everyMs).unref()
  }

  async #sweep(): Promise<void> {
    if (this.#closing.signal.aborted) return
    const began = performance.now()
    try {
      const staging = await this.#place.images.tidy()
      this.removed.staging += staging
      if (this.#count++ % ORPHANS_EVERY !== 0) return
      const options = { now: Date.now(), pauseMs: PAUSE_MS, signal: this.#closing.signal }
      const swept = await sweepOrphans(this.#place, options)
      this.removed.orphans += swept.removed
      const ms = Math.round(performance.now() - began)
      this.#log.info({ ...swept, staging, ms }, 'swept: files that nobody points at')
    } catch (error) {
      if (this.#closing.signal.aborted) return
      this.#log.warn({ err: error }, 'files that nobody points at could not be looked for')
    }
  }

  /** One that is under way ends at its next step. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#closing.abort()
    await this.#last
  }
}
