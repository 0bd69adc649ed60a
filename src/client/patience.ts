import { NoAnswerError } from './no-answer-error.ts'
import { ProblemError } from './problem-error.ts'

/** Where the server does not say. */
const RETRY_MS = 1_000
/** Whatever it says: a loop must not become an attack. */
const SHORTEST_PAUSE_MS = 100
/** To which pauses grow by themselves. */
const LONGEST_PAUSE_MS = 15_000
/** That a server may ask for. Far below what a timer counts. */
const LONGEST_RETRY_MS = 300_000

/** Of someone who comes back after a connection: how soon, how often and how long. */
export class Patience {
  readonly #patienceMs: number
  /** Since when there has been no answer. */
  #away: number | undefined
  /** Connections in a row that brought nothing. */
  #barren = 0
  #begun = 0
  #retryAfterMs = 0

  constructor(seconds: number) {
    this.#patienceMs = seconds * 1_000
  }

  begin(): void {
    this.#begun = performance.now()
    this.#retryAfterMs = 0
    this.#barren++
  }

  answered(): void {
    this.#away = undefined
  }

  /** Something worth coming for. */
  brought(): void {
    this.#barren = 0
  }

  /** Throws what cannot pass by itself, and whatever has gone on for too long. */
  bear(error: unknown): void {
    const now = performance.now()
    this.#away ??= now
    if (!mayPass(error) || now - this.#away >= this.#patienceMs) throw error
    if (error instanceof ProblemError) this.#retryAfterMs = (error.retryAfter ?? 0) * 1_000
  }

  /** In milliseconds; `retryMs` as the server asked for. The last pause ends when patience does. */
  nextPause(retryMs = RETRY_MS): number {
    const now = performance.now()
    if (now - this.#begun > LONGEST_PAUSE_MS) this.#barren = 0
    const grown = Math.min(retryMs * 2 ** Math.max(0, this.#barren - 1), LONGEST_PAUSE_MS)
    // Not all of those who lost the same server at once come back at once.
    const spread = Math.max(grown, retryMs, SHORTEST_PAUSE_MS) * (1 + Math.random() / 4)
    const asked = Math.min(Math.max(spread, this.#retryAfterMs), LONGEST_RETRY_MS)
    const left = this.#away === undefined ? asked : this.#away + this.#patienceMs - now
    return Math.max(0, Math.min(asked, left))
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof NoAnswerError) return true
  return error instanceof ProblemError && (error.status >= 500 || [408, 429].includes(error.status))
}
