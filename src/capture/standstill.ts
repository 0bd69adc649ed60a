const LOOK_MS = 500
/** A process that is merely busy is late by less. */
const LONGEST_MS = 3_000

/**
 * Notices that this process stood still: it was frozen, its machine slept, or something kept its event loop. Pages go on
 * meanwhile, and what becomes of them then is no fault of theirs.
 */
export class Standstill {
  #looked = performance.now()
  #last = Number.NEGATIVE_INFINITY
  readonly #timer = setInterval(() => this.#look(), LOOK_MS).unref()

  /** Whether it did since then (`performance.now`). */
  since(then: number): boolean {
    this.#look()
    return this.#last > then
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const now = performance.now()
    if (now - this.#looked > LONGEST_MS) this.#last = now
    this.#looked = now
  }
}
