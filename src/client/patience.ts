import { ProblemError } from './problem-error.ts'

/** The first pause, if the server says nothing. */
const RETRY_MS = 1_000
/** The shortest pause, whatever the server says. */
const SHORTEST_PAUSE_MS = 100
/** The longest pause that the client chooses. */
const LONGEST_PAUSE_MS = 15_000
/** The longest pause that a server may ask for. */
const LONGEST_RETRY_MS = 300_000

/** How soon, how often and how long a client connects again. */
export class Patience {
  readonly #patienceMs: number
  /** Since when no answer came. */
  #away: number | undefined
  /** Connections in a row without any news. */
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

  /** Something came: the count of failures starts again. */
  brought(): void {
    this.#barren = 0
  }

  /** Throws the error if it is permanent, or if there was no answer for too long. */
  bear(error: unknown): void {
    const now = performance.now()
    this.#away ??= now
    if (!mayPass(error) || now - this.#away >= this.#patienceMs) throw error
    if (error instanceof ProblemError) this.#retryAfterMs = (error.retryAfter ?? 0) * 1_000
  }

  /** The next pause in milliseconds. `retryMs` is what the server asked for. The last pause ends when patience ends. */
  nextPause(retryMs = RETRY_MS): number {
    const now = performance.now()
    if (now - this.#begun > LONGEST_PAUSE_MS) this.#barren = 0
    const grown = Math.min(retryMs * 2 ** Math.max(0, this.#barren - 1), LONGEST_PAUSE_MS)
    // A random part, so that clients that lost the same server do not all come back at once.
    const spread = Math.max(grown, retryMs, SHORTEST_PAUSE_MS) * (1 + Math.random() / 4)
    const asked = Math.min(Math.max(spread, this.#retryAfterMs), LONGEST_RETRY_MS)
    // A timer may fire up to a millisecond early: then patience would not be over yet, and the client would ask once more.
    const left = this.#away === undefined ? asked : Math.ceil(this.#away + this.#patienceMs - now) + 1
    return Math.max(0, Math.min(asked, left))
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof NoAnswerError) return true
  return error instanceof ProblemError && (error.status >= 500 || [408, 429].includes(error.status))
}

/** Waits. Ends early if the signal is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', over)
      resolve()
    }
    const timer = setTimeout(over, ms)
    signal?.addEventListener('abort', over)
    if (signal?.aborted) over()
  })
}

/** No answer came, or it broke off. It is not known whether the server did what it was asked. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'

  constructor(server: string, cause: unknown) {
    super(`${server || 'the server'} does not answer: ${reasonOf(cause)}`, { cause })
  }
}

/** Node puts the reason into `cause`, and leaves its message empty if it tried several addresses. */
function reasonOf(thrown: unknown): string {
  const { message, cause } = (thrown ?? {}) as Partial<Error>
  const { message: inner, code } = (cause ?? {}) as { message?: string; code?: string }
  return inner || code || message || String(thrown)
}
