/** The first statement: texts may be long. */
const FIRST_ROWS = 8
/** A statement that took longer is followed by one for half as many rows, and one that took less by one for twice as many. */
const STATEMENT_MS = 1

/**
 * How many rows the next statement of a search looks at. An address has 20 characters or 8,000: as many rows of either would take a
 * twentieth of a millisecond, or keep everyone waiting.
 */
export class RowsAtOnce {
  readonly #most: number
  #next: number
  /** By the last statement. */
  asked = 0

  constructor(most: number) {
    this.#most = most
    this.#next = Math.min(FIRST_ROWS, most)
  }

  /** `room`: no more than this. */
  time<T>(look: (rows: number) => T, room = this.#most): T {
    this.asked = Math.min(this.#next, room)
    const began = performance.now()
    const found = look(this.asked)
    const isLong = performance.now() - began > STATEMENT_MS
    this.#next = isLong ? Math.ceil(this.asked / 2) : Math.min(this.#most, 2 * this.asked)
    return found
  }
}
