import { expect } from 'vitest'

/** What came of one fault: a row of the table. */
export interface Outcome {
  readonly world: string
  /** How often the fault was made. */
  readonly times: number
  /** Requests and imports that were told that they are kept. */
  readonly acknowledged: number
  /** Of those, what is not there or not whole. */
  readonly lost: number
  /** Rows whose picture or preview is missing or cannot be read to its last pixel. */
  readonly dangling: number
  /** Harmless pages that failed. */
  readonly failedPages?: number
  /** Answers that were wrong, or not given though the service was there. */
  readonly failedReads?: number
  /** From the end of the last fault until everything was well. */
  readonly recoverySeconds?: number
  readonly note?: string
}

declare module 'vitest' {
  interface TaskMeta {
    outcome?: Outcome
  }
}

/** Writes the row down, and fails where something was lost. */
export function tell(task: { meta: { outcome?: Outcome } }, outcome: Outcome): void {
  task.meta.outcome = outcome
  const { lost, dangling, failedPages = 0, failedReads = 0 } = outcome
  expect({ lost, dangling, failedPages, failedReads }).toEqual({
    lost: 0,
    dangling: 0,
    failedPages: 0,
    failedReads: 0,
  })
}
