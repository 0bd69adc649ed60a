import type { Logger } from 'pino'
import { defined } from '../contract/defined.ts'
import { AppError } from '../errors.ts'
import type { Occurrence, RunOutcome, StoredSchedule } from '../store/schedules.ts'
import type { RootKey, Store } from '../store/store.ts'
import { otherWork } from '../work/other-work.ts'
import { firstNext, nextOccurrence } from './occurrences.ts'
import { type PrepareOptions, prepareRoot } from './prepare.ts'

/** If the next time of a schedule cannot be found, it is tried again after this pause. */
const AGAIN_MS = 5 * 60_000
const REWOUND_AT_ONCE = 50

export interface RunsOptions extends PrepareOptions {
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly clock: () => number
  readonly spreadMs: number
  readonly mostWaiting: number
  /** Pages of this root were queued by this process. */
  readonly onQueued: (root: RootKey) => void
}

export type ScheduleFigures = ScheduleRuns['figures']

/** Creates the roots of schedules, and begins scheduled roots. */
export class ScheduleRuns {
  /** What became of the times of schedules. Missed: no process ran. Late: the root was created more than a minute later. */
  readonly figures = { made: 0, late: 0, missed: 0, skipped: 0, failed: 0, begun: 0 }
  readonly #store: Pick<Store, 'schedules' | 'scheduledRoots'>
  readonly #options: RunsOptions

  constructor(store: Pick<Store, 'schedules' | 'scheduledRoots'>, options: RunsOptions) {
    this.#store = store
    this.#options = options
  }

  /** Creates the root of a schedule that is due, unless another process was faster. Throws if the storage is away. */
  async run(schedule: StoredSchedule): Promise<RunOutcome> {
    const { clock, spreadMs, mostWaiting } = this.#options
    const created = clock()
    const now = await this.#store.schedules.timeAt(created)
    const found = await nextOccurrence(schedule, now, spreadMs).catch((error) =>
      this.#again(schedule, now, error),
    )
    if (!found) return 'overtaken'
    const { problem, ...occurrence } = found
    const { time, lateMs, missed } = occurrence
    const { scheduleId } = schedule
    const origin = {
      schedule: defined({ scheduleId, occurrence: time, lateMs, missed: missed || undefined }),
    }
    const request =
      problem === undefined ? await prepareRoot(schedule, { created, origin }, this.#options) : { problem }
    const options = { now: created, mostWaiting, request }
    const outcome = await this.#store.schedules.run(schedule, occurrence, options).catch((error) => {
      // The project is being removed.
      if (error instanceof AppError && error.code === 'not_found') return 'overtaken' as const
      throw error
    })
    this.#tell(schedule, outcome, occurrence)
    return outcome
  }

  /**
   * After a clock was ahead, the next time of schedules that have run meanwhile is too late. They are moved back to their first
   * time after now. Times that have a root make no second one.
   */
  async rewind(): Promise<void> {
    const { clock, spreadMs, log } = this.#options
    const { schedules } = this.#store
    const now = await schedules.timeAt(clock())
    let moved = 0
    for (let after: string | undefined; ; ) {
      const ahead = await schedules.findAhead(now, { after, limit: REWOUND_AT_ONCE })
      for (const schedule of ahead) {
        const first = firstNext(schedule, now, spreadMs)
        if (first && first.next < schedule.next.next && (await schedules.moveBack(schedule, first))) moved++
        await otherWork()
      }
      if (ahead.length < REWOUND_AT_ONCE) break
      after = ahead.at(-1)?.scheduleId
    }
    if (moved > 0)
      log.warn({ schedules: moved }, 'a clock was ahead: schedules are moved back to their next time')
  }

  /** Runs it now; its regular times are unaffected. Throws as `Captures.accept`, and `bad_request` if it cannot run. */
  async runNow(schedule: StoredSchedule): Promise<string> {
    const { clock, mostWaiting, onQueued } = this.#options
    const created = clock()
    const now = await this.#store.schedules.timeAt(created)
    const { projectId, scheduleId } = schedule
    const origin = { schedule: { scheduleId, occurrence: now } }
    const request = await prepareRoot(schedule, { created, origin }, this.#options)
    if ('problem' in request) throw new AppError('bad_request', request.problem)
    const rootId = await this.#store.schedules.runNow(schedule, request, { now: created, mostWaiting })
    onQueued({ projectId, rootId })
    return rootId
  }

  /** Queues the pages of a scheduled root whose time has come. */
  async begin(root: RootKey): Promise<boolean> {
    if (!(await this.#store.scheduledRoots.begin(root, this.#options.clock()))) return false
    this.figures.begun++
    this.#options.log.info(root, 'a scheduled root begins')
    this.#options.onQueued(root)
    return true
  }

  /** Its times are not known here: another process may have a newer list of time zones. The same time is tried again. */
  #again({ projectId, scheduleId, next }: StoredSchedule, now: number, error: unknown) {
    if (!next || error instanceof AppError) throw error
    this.#options.log.error({ err: error, projectId, scheduleId }, 'the times of a schedule cannot be found')
    const { message } = error as Error
    const due = now + AGAIN_MS
    const again: Occurrence = { time: next.next, missed: 0, lateMs: undefined, next: { ...next, due } }
    return { ...again, problem: `its next time cannot be found: ${message}` }
  }

  #tell(
    { projectId, scheduleId }: StoredSchedule,
    outcome: RunOutcome,
    { time, lateMs, missed }: Occurrence,
  ): void {
    if (outcome === 'overtaken') return
    const { figures } = this
    const { log, onQueued } = this.#options
    const about = { projectId, scheduleId, occurrence: time, ...(missed > 0 && { missed }) }
    if (outcome === 'skipped') {
      figures.skipped += missed + 1
      log.warn(about, 'a schedule is skipped: its previous root is unfinished')
    } else if ('failed' in outcome) {
      figures.failed += missed + 1
      log.warn({ ...about, problem: outcome.failed }, 'a schedule could not create a root')
    } else {
      figures.made++
      figures.missed += missed
      if (lateMs !== undefined) figures.late++
      log.info(defined({ ...about, rootId: outcome.rootId, lateMs }), 'a schedule runs')
      onQueued(outcome)
    }
  }
}
