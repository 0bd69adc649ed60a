import type { AcceptLimits } from './captures.ts'
import type { RootKey } from './rows.ts'

/** When a schedule makes a root: by `cron`, or `every` so often. */
export interface Times {
  readonly cron: string | undefined
  /** Of `cron`. Undefined: UTC. */
  readonly timezone: string | undefined
  readonly every: string | undefined
}

/** The next time of a schedule, and when its root is made: a little later, so that not all begin at once. */
export interface Next {
  readonly next: number
  readonly due: number
}

export interface ScheduleContent extends Times {
  readonly name: string
  readonly templateId: string | undefined
  /** Or a request of its own, as JSON without secrets. */
  readonly request: string | undefined
  /** Its secrets, encrypted. */
  readonly sealed: string | undefined
  readonly overlap: 'skip' | 'run'
  readonly paused: boolean
}

/** A root that begins so late says so. */
export const LATE_MS = 60_000

export interface ScheduleKey {
  readonly projectId: string
  readonly scheduleId: string
}

export interface NewSchedule extends ScheduleKey, ScheduleContent {
  readonly created: number
  /** Undefined: there is none, or it is paused. */
  readonly next: Next | undefined
}

export interface StoredSchedule extends NewSchedule {
  readonly changed: number
  /** Changes when people change the schedule, not when it runs. */
  readonly revision: string
  readonly lastRoot: string | undefined
  readonly runs: number
  readonly late: number
  readonly skipped: number
  readonly lastSkipped: number | undefined
  readonly problem: { readonly at: number; readonly detail: string } | undefined
}

/** A schedule whose next time may have been found by a clock that was ahead. */
export interface AheadSchedule extends ScheduleKey, Times {
  readonly created: number
  readonly next: Next
  readonly revision: string
}

/** A time of a schedule that has come, and the time that follows. */
export interface Occurrence {
  readonly time: number
  /** How many later times have passed, too. */
  readonly missed: number
  /** How late it is, if that is worth telling. */
  readonly lateMs: number | undefined
  readonly next: Next | undefined
}

/**
 * `overtaken`: another process was faster, or the schedule was changed meanwhile. `skipped`: the root before is unfinished.
 * `failed`: it could not be made, and the schedule says why.
 */
export type RunOutcome = RootKey | 'overtaken' | 'skipped' | { readonly failed: string }

export interface RunOptions extends AcceptLimits {
  readonly now: number
}
