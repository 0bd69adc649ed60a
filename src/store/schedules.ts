import type { AcceptLimits, NewRequest } from './captures.ts'
import type { Expected, ListPage, Position, Room } from './owned.ts'
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

/** The fields of a schedule that people set. */
export interface ScheduleContent extends Times {
  readonly name: string
  /** The template to run. */
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

/** Recurring schedules. Errors are those of `Store`. */
export interface Schedules {
  /** The time by the clock of the store. `now`: by the clock of this process. */
  timeAt(now: number): Promise<number>
  /** When the next schedule or the next scheduled root is due, by the clock of the store. Undefined: there is none. */
  findNextDue(): Promise<number | undefined>
  /**
   * Schedules that are due, the earliest first. None of a project that is being removed. Fewer than `limit` if their requests are
   * long.
   */
  findDue(now: number, limit: number): Promise<StoredSchedule[]>
  /** Throws `not_found` for an unknown project, `conflict` if the project has `most` schedules. */
  create(schedule: NewSchedule, room?: Room): Promise<StoredSchedule>
  find(key: ScheduleKey): Promise<StoredSchedule | undefined>
  /** Oldest first, then by id. `mayBeFewer`: than `limit`, if their requests are long; but at least one, if there is one. */
  page(projectId: string, page: ListPage & { readonly mayBeFewer?: boolean }): Promise<StoredSchedule[]>
  /** Whether a schedule follows this one in the list. */
  hasAfter(projectId: string, after: Position): Promise<boolean>
  /**
   * Throws `not_found`, and `precondition_failed` if it has another revision. `keepNext`: the next time stays as it is. A time that is
   * due must not be lost because the schedule gets another name.
   */
  change(
    schedule: NewSchedule & { readonly changed: number },
    expected?: Expected & { readonly keepNext?: boolean },
  ): Promise<StoredSchedule>
  /** Throws as above. Its roots stay. */
  remove(key: ScheduleKey, expected?: Expected): Promise<void>
  /**
   * Makes the root of an occurrence and moves the schedule to its next time, in one transaction. It does so once, whatever
   * process comes first: `schedule` must be as it was read, with the same next time. `request`: the root, or why there can be
   * none. If too many pages of the project wait, that is a failure of this occurrence.
   */
  run(
    schedule: StoredSchedule,
    occurrence: Occurrence,
    options: RunOptions & { readonly request: NewRequest | { readonly problem: string } },
  ): Promise<RunOutcome>
  /**
   * Makes a root beside the times of the schedule. Throws as `Captures.accept`. If its time is one of the schedule, or has a
   * root, it gets the next millisecond.
   */
  runNow(schedule: ScheduleKey, request: NewRequest, options: RunOptions): Promise<string>
  /**
   * Schedules of all projects that have run more than a minute after `now`, or whose next time is more than a day away. `now`: by the clock of the
   * store. By id, those after `after`.
   */
  findAhead(now: number, page: { after?: string | undefined; limit: number }): Promise<AheadSchedule[]>
  /** Gives a schedule an earlier next time. False if it is not as it was read. */
  moveBack(schedule: AheadSchedule, earlier: Next): Promise<boolean>
  /** How many there are in all projects. */
  count(): Promise<number>
}

export interface RunOptions extends AcceptLimits {
  readonly now: number
}

/**
 * Roots whose pages are captured later, once. They are accepted as all others (`Captures.accept`). Their captures are not in
 * the queue, and do not count as waiting. Errors are those of `Store`.
 */
export interface ScheduledRoots {
  /** Roots whose time has come, the earliest first. None of a project that is being removed. */
  findDue(now: number, limit: number): Promise<RootKey[]>
  /** Queues the pages of a root. False if another process was faster, or it was cancelled. */
  begin(root: RootKey, now: number): Promise<boolean>
  /**
   * Its pages will not be captured: the root is finished, its sealed secrets are deleted, and the event is written.
   * False if it has begun. True also if it was cancelled before.
   */
  cancel(root: RootKey, now: number): Promise<boolean>
}
