import { setImmediate as nextIteration } from 'node:timers/promises'

/** SQLite runs in the thread that serves all requests. No request waits much longer than this for the work of another. */
const LONGEST_MS = 1
/** The first statement of a search: texts may be long. */
const FIRST_ROWS = 8
/** A statement that took longer is followed by one for half as many rows, and one that took less by one for twice as many. */
const STATEMENT_MS = 1

/** Runs one statement of long work, when the thread is free for it. */
export type RunYielding = <T>(look: () => T) => Promise<T>

/**
 * One queue for all long work. Together it takes at most LONGEST_MS of each iteration of the event loop, and small requests
 * come in between.
 */
export function createRunYielding(): RunYielding {
  const waiting: (() => void)[] = []
  let working = false
  const work = async () => {
    working = true
    while (waiting.length > 0) {
      const begun = performance.now()
      do {
        waiting.shift()?.()
        // The caller may add its next statement now.
        await undefined
      } while (waiting.length > 0 && performance.now() - begun < LONGEST_MS)
      await nextIteration()
    }
    working = false
  }
  return (look) =>
    new Promise((resolve, reject) => {
      waiting.push(() => {
        try {
          resolve(look())
        } catch (error) {
          reject(error)
        }
      })
      if (!working) void work()
    })
}

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
