import { expect } from 'vitest'

/** The result of one fault: a row of the table. */
export interface Outcome {
  readonly world: string
  /** How often the fault was made. */
  readonly times: number
  /** Acknowledged requests and imports. */
  readonly acknowledged: number
  /** How many of those are missing or incomplete. */
  readonly lost: number
  /** Rows whose picture or preview is missing or cannot be read to its last pixel. */
  readonly dangling: number
  /** Harmless pages that failed. */
  readonly failedPages?: number
  /** Wrong answers, and answers that did not come although the service ran. */
  readonly failedReads?: number
  /** The time from the end of the last fault until everything worked. */
  readonly recoverySeconds?: number
  readonly note?: string
}

declare module 'vitest' {
  interface TaskMeta {
    outcome?: Outcome
  }
}

/** Records the row. Throws if something was lost. */
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
