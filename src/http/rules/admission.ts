import { Lines } from '../../shares/fair-turns.ts'

/** Requests that begin in one iteration of the event loop: a millisecond or two. */
const REQUESTS = 32

/** Requests that arrive together begin a few at a time, in turns of their clients: one with many connections delays nobody. */
export class Admission {
  readonly #atOnce: number
  readonly #lines = new Lines<() => void>()
  /** Requests of this iteration that did not wait. */
  #begun = 0
  #isAwaited = false

  constructor(atOnce = REQUESTS) {
    this.#atOnce = atOnce
  }

  /** Whether a request may begin now. Then it counts as begun. Otherwise it must wait in line. */
  mayBegin(): boolean {
    if (this.#begun >= this.#atOnce || !this.#lines.isEmpty) return false
    this.#begun++
    this.#awaitNextIteration()
    return true
  }

  waitInLine(client: string, begin: () => void): void {
    this.#lines.join(client, begin)
    this.#awaitNextIteration()
  }

  /**
   * Only if there is something to do in it. While an iteration is awaited, the loop does not wait for events: requests come in smaller
   * groups, and each costs more.
   */
  #awaitNextIteration(): void {
    if (this.#isAwaited) return
    this.#isAwaited = true
    setImmediate(this.#nextIteration)
  }

  readonly #nextIteration = (): void => {
    this.#isAwaited = false
    this.#begun = 0
    for (let begun = 0; begun < this.#atOnce && !this.#lines.isEmpty; begun++) this.#lines.next()?.()
    if (!this.#lines.isEmpty) this.#awaitNextIteration()
  }
}
