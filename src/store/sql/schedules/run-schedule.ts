import { sql, type Transaction, type Updateable } from 'kysely'
import { AppError } from '../../../errors.ts'
import type { AcceptLimits, NewRequest } from '../../captures.ts'
import type { Occurrence, RunOutcome, ScheduleKey, Schedules, StoredSchedule } from '../../schedules.ts'
import { acceptRequest } from '../captures/accept.ts'
import type { Tables } from '../tables.ts'
import { type ScheduleRow, writeNext } from './rows.ts'

interface Options extends AcceptLimits {
  readonly now: number
  readonly lock: boolean
}

/** The request of a schedule may be large, and was read before. */
type RunningRow = Pick<
  ScheduleRow,
  'project_id' | 'schedule_id' | 'overlap' | 'next' | 'last_root' | 'runs' | 'late' | 'skipped'
>

type Ran = Parameters<Schedules['run']>[2]

/** See `Schedules.run`. The row of the schedule is locked before all others. */
export async function runOnce(
  transaction: Transaction<Tables>,
  schedule: StoredSchedule,
  occurrence: Occurrence,
  { request, ...options }: Ran & Options,
): Promise<RunOutcome> {
  const found = await lockDue(transaction, schedule, options)
  if (!found) return 'overtaken'
  const move = (values: Updateable<Tables['schedules']>) =>
    update(transaction, schedule, { ...writeNext(occurrence.next), ...values })
  const times = occurrence.missed + 1
  if (await hasRoot(transaction, schedule, occurrence.time)) {
    // A backup of the table was restored.
    await move({})
    return 'overtaken'
  }
  if (found.overlap === 'skip' && (await isUnfinished(transaction, found))) {
    await move({ skipped: found.skipped + times, last_skipped: occurrence.time })
    return 'skipped'
  }
  const fail = async (problem: string) => {
    await move({ problem, problem_at: occurrence.time })
    return { failed: problem }
  }
  if ('problem' in request) return await fail(request.problem)
  try {
    await acceptRequest(transaction, request, options)
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
  return { projectId: schedule.projectId, rootId: request.rootId }
}

/** See `Schedules.runNow`. */
export async function runNow(
  transaction: Transaction<Tables>,
  schedule: ScheduleKey,
  request: NewRequest,
  options: Options,
): Promise<string> {
  const find = ofSchedule(transaction, schedule)
  const found = await (options.lock ? find.forUpdate() : find).executeTakeFirst()
  if (!found) throw new AppError('not_found')
  const origin = await besideTimes(transaction, found, request.origin)
  await acceptRequest(transaction, { ...request, origin }, options)
  await update(transaction, schedule, { last_root: request.rootId, runs: found.runs + 1 })
  return request.rootId
}

/** A run by hand must not take away a time of the schedule. */
async function besideTimes(
  transaction: Transaction<Tables>,
  { schedule_id: scheduleId, next }: RunningRow,
  origin: NewRequest['origin'],
): Promise<NewRequest['origin']> {
  if (!origin?.schedule) return origin
  let { occurrence } = origin.schedule
  while (occurrence === next || (await hasRoot(transaction, { scheduleId }, occurrence))) occurrence++
  return { ...origin, schedule: { ...origin.schedule, occurrence } }
}

function ofSchedule(transaction: Transaction<Tables>, { projectId, scheduleId }: ScheduleKey) {
  return transaction
    .selectFrom('schedules')
    .select(['project_id', 'schedule_id', 'overlap', 'next', 'last_root', 'runs', 'late', 'skipped'])
    .where('project_id', '=', projectId)
    .where('schedule_id', '=', scheduleId)
}

/** The row, if it is as it was read. A row that another process has locked is left to it. */
async function lockDue(
  transaction: Transaction<Tables>,
  schedule: StoredSchedule,
  { lock }: { lock: boolean },
): Promise<RunningRow | undefined> {
  const find = ofSchedule(transaction, schedule)
    .where('next', '=', schedule.next?.next ?? 0)
    .where('revision', '=', schedule.revision)
  return await (lock ? find.forUpdate().skipLocked() : find).executeTakeFirst()
}

async function hasRoot(
  transaction: Transaction<Tables>,
  { scheduleId }: Pick<ScheduleKey, 'scheduleId'>,
  occurrence: number,
): Promise<boolean> {
  const found = await transaction
    .selectFrom('requests')
    .select('root_id')
    .where('schedule_id', '=', scheduleId)
    .where('occurrence', '=', occurrence)
    .executeTakeFirst()
  return found !== undefined
}

/** Whether the last root of the schedule is unfinished. A root that was removed is over. */
async function isUnfinished(transaction: Transaction<Tables>, row: RunningRow): Promise<boolean> {
  if (row.last_root === null) return false
  const found = await transaction
    .selectFrom('requests')
    .select(sql<number>`1`.as('one'))
    .where('project_id', '=', row.project_id)
    .where('root_id', '=', row.last_root)
    .where('finished', 'is', null)
    .executeTakeFirst()
  return found !== undefined
}

async function update(
  transaction: Transaction<Tables>,
  { projectId, scheduleId }: ScheduleKey,
  values: Updateable<Tables['schedules']>,
): Promise<void> {
  await transaction
    .updateTable('schedules')
    .set(values)
    .where('project_id', '=', projectId)
    .where('schedule_id', '=', scheduleId)
    .execute()
}
