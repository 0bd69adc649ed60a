import { sql, type Updateable } from 'kysely'
import { AppError } from '../../../errors.ts'
import type { NewRequest } from '../../captures.ts'
import type { Occurrence, RunOptions, RunOutcome, ScheduleKey, StoredSchedule } from '../../schedules.ts'
import { acceptRequest } from '../captures/requests.ts'
import { type Database, isThere, ofProject, ofRoot, type Transaction, update } from '../database.ts'
import type { Tables } from '../tables.ts'

/** The request of a schedule may be large, and was read before. */
const COLUMNS = ['overlap', 'next', 'last_root', 'runs', 'late', 'skipped'] as const

export function createRuns(db: Database) {
  return {
    /**
     * Makes the root of an occurrence and moves the schedule to its next time, in one transaction. It does so once, whatever
     * process comes first: `schedule` must be as it was read, with the same next time. `request`: the root, or why there can be
     * none. If too many pages of the project wait, that is a failure of this occurrence.
     */
    async run(
      schedule: StoredSchedule,
      occurrence: Occurrence,
      { request, ...options }: RunOptions & { readonly request: NewRequest | { readonly problem: string } },
    ): Promise<RunOutcome> {
      const { projectId, scheduleId } = schedule
      const now = await db.timeAt(options.now)
      const times = occurrence.missed + 1
      return await db.transaction(async (transaction) => {
        // As it was read, and locked before all other rows. If another process has locked it, it is left to that one.
        const found = await ofSchedule(transaction, schedule)
          .where('next', '=', schedule.next?.next ?? 0)
          .where('revision', '=', schedule.revision)
          .forUpdate()
          .skipLocked()
          .executeTakeFirst()
        if (!found) return 'overtaken'
        const move = (values: Updateable<Tables['schedules']>) =>
          change(transaction, schedule, { ...writeNext(occurrence.next), ...values })
        if (await hasRoot(transaction, scheduleId, occurrence.time)) {
          // A backup of the table was restored.
          await move({})
          return 'overtaken'
        }
        if (found.overlap === 'skip' && (await isUnfinished(transaction, projectId, found.last_root))) {
          await move({ skipped: found.skipped + times, last_skipped: occurrence.time })
          return 'skipped'
        }
        const fail = async (problem: string) => {
          await move({ problem, problem_at: occurrence.time })
          return { failed: problem }
        }
        if ('problem' in request) return await fail(request.problem)
        try {
          await acceptRequest(transaction, request, { ...options, now })
        } catch (error) {
          // Thrown before anything was written.
          if (error instanceof AppError && error.code === 'rate_limited') return await fail(error.message)
          throw error
        }
        const isLate = occurrence.lateMs !== undefined
        await move({
          ...{ last_root: request.rootId, runs: found.runs + 1, late: found.late + (isLate ? 1 : 0) },
          ...{ problem: null, problem_at: null },
        })
        return { projectId, rootId: request.rootId }
      })
    },

    /**
     * Makes a root beside the times of the schedule. Throws as `Captures.accept`. If its time is one of the schedule, or has a
     * root, it gets the next millisecond.
     */
    async runNow(schedule: ScheduleKey, request: NewRequest, options: RunOptions): Promise<string> {
      const now = await db.timeAt(options.now)
      return await db.transaction(async (transaction) => {
        const found = await ofSchedule(transaction, schedule).forUpdate().executeTakeFirst()
        if (!found) throw new AppError('not_found')
        const origin = await besideTimes(transaction, schedule, found.next, request.origin)
        await acceptRequest(transaction, { ...request, origin }, { ...options, now })
        await change(transaction, schedule, { last_root: request.rootId, runs: found.runs + 1 })
        return request.rootId
      })
    },
  }
}

/** A run by hand must not take away a time of the schedule. */
async function besideTimes(
  transaction: Transaction,
  { scheduleId }: ScheduleKey,
  next: number | null,
  origin: NewRequest['origin'],
): Promise<NewRequest['origin']> {
  if (!origin?.schedule) return origin
  let { occurrence } = origin.schedule
  while (occurrence === next || (await hasRoot(transaction, scheduleId, occurrence))) occurrence++
  return { ...origin, schedule: { ...origin.schedule, occurrence } }
}

function ofSchedule(transaction: Transaction, { projectId, scheduleId }: ScheduleKey) {
  return transaction
    .selectFrom('schedules')
    .select(COLUMNS)
    .where('project_id', '=', projectId)
    .where('schedule_id', '=', scheduleId)
}

async function hasRoot(transaction: Transaction, scheduleId: string, occurrence: number): Promise<boolean> {
  const isOf = sql<boolean>`schedule_id = ${scheduleId} and occurrence = ${occurrence}`
  return await isThere(transaction, 'requests', isOf)
}

/** Whether this root is unfinished. A root that was removed is over. */
async function isUnfinished(
  transaction: Transaction,
  projectId: string,
  rootId: string | null,
): Promise<boolean> {
  if (rootId === null) return false
  return await isThere(transaction, 'requests', ofRoot({ projectId, rootId }), sql`finished is null`)
}

async function change(
  transaction: Transaction,
  { projectId, scheduleId }: ScheduleKey,
  values: Updateable<Tables['schedules']>,
): Promise<void> {
  await update(transaction, 'schedules', values, ofProject(projectId), sql`schedule_id = ${scheduleId}`)
}

export function writeNext(next: StoredSchedule['next']) {
  return { next: next?.next ?? null, due: next?.due ?? null }
}
