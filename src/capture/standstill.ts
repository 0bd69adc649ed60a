const LOOK_MS = 500
/** A busy process is late by less than this. */
const LONGEST_MS = 3_000

/**
 * Notices that this process stood still: it was frozen, its machine slept, or something blocked its event loop. Pages in
 * the browser continue meanwhile. If they fail then, it is not their fault.
 */
export class Standstill {
  #looked = performance.now()
  #last = Number.NEGATIVE_INFINITY
  readonly #timer = setInterval(() => this.#look(), LOOK_MS).unref()

  /** Whether this process stood still after `then` (a time of `performance.now`). */
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
