import type { Kysely, Transaction } from 'kysely'
import type { AheadSchedule, Next } from '../../schedules.ts'
import type { Tables } from '../tables.ts'
import { writeNext } from './rows.ts'

/** Clocks of processes may differ by less than this. */
const APART_MS = 60_000
/** The longest day of a time zone. */
const DAY_MS = 25 * 3_600_000

/** See `Schedules.findAhead`. */
export async function findAhead(
  db: Kysely<Tables>,
  now: number,
  { after = '', limit }: { after?: string | undefined; limit: number },
): Promise<AheadSchedule[]> {
  const rows = await db
    .selectFrom('schedules')
    .leftJoin('roots', (join) =>
      join
        .onRef('roots.project_id', '=', 'schedules.project_id')
        .onRef('roots.root_id', '=', 'schedules.last_root'),
    )
    .select(['schedules.project_id', 'schedules.schedule_id', 'cron', 'timezone', 'every'])
    .select(['schedules.created', 'schedules.next', 'schedules.due', 'schedules.revision'])
    .where('next', 'is not', null)
    .$if(after !== '', (query) => query.where('schedules.schedule_id', '>', after))
    .where((eb) =>
      eb.or([
        eb('roots.created', '>', now + APART_MS),
        eb('schedules.last_skipped', '>', now + APART_MS),
        eb('schedules.problem_at', '>', now + APART_MS),
        // Few schedules run more seldom: their times are found again.
        eb('schedules.next', '>', now + DAY_MS),
      ]),
    )
    .orderBy('schedules.schedule_id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    projectId: row.project_id,
    scheduleId: row.schedule_id,
    cron: row.cron ?? undefined,
    timezone: row.timezone ?? undefined,
    every: row.every ?? undefined,
    created: row.created,
    next: { next: row.next ?? 0, due: row.due ?? 0 },
    revision: row.revision,
  }))
}

/** See `Schedules.moveBack`. */
export async function moveBack(
  transaction: Transaction<Tables>,
  { projectId, scheduleId, next: { next }, revision }: AheadSchedule,
  earlier: Next,
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('schedules')
    .set(writeNext(earlier))
    .where('project_id', '=', projectId)
    .where('schedule_id', '=', scheduleId)
    .where('next', '=', next)
    .where('revision', '=', revision)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
