import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { CaptureKey } from '../../captures.ts'
import type { Tables } from '../tables.ts'
import { findDue } from './due.ts'

// The project that has used the browser least has the next turn. Its row in `turns` is always locked after the capture and
// before the request.

/** The cost of an attempt beside its time, so that pages that fail at once are not free. */
const ATTEMPT_MS = 100
/** Projects that are read at a time. Mostly the first has a page that is due. */
const AT_ONCE = 16

/** A project that has unfinished captures. */
interface Standing {
  readonly projectId: string
  /** `used` in the table. It is different later if another process has taken a page. */
  readonly written: number
  /** The same, with the time of its captures under way. */
  readonly used: number
  readonly underWay: number
  /** Unfinished captures, with those under way. */
  readonly waiting: number
}

interface StandingRow {
  project_id: string
  written: number
  used: number
  under_way: number
  waiting: number
}

/** The captures under way of each project, and their time until now. */
const busyProjects = (now: number): RawBuilder<unknown> =>
  sql`select project_id, count(*) as pages,
        cast(sum(case when started < ${now} then ${now} - started else 0 end) as bigint) as elapsed
      from captures where state = 'running' group by project_id`

/** Projects sorted by what they have used, the least first. The time under way is added for the few that have captures. */
async function* standings(
  transaction: Transaction<Tables>,
  now: number,
  { idleOnly = false } = {},
): AsyncGenerator<Standing> {
  const busy = sql`union all
    select turns.project_id, used, used + elapsed, since, pages, waiting
    from busy cross join turns where turns.project_id = busy.project_id and waiting > 0`
  for (let from = 0; ; from += AT_ONCE) {
    const { rows } = await sql<StandingRow>`with busy as (${busyProjects(now)})
      select project_id, written, used, under_way, waiting from (
        select * from (
          select project_id, used as written, used, since, 0 as under_way, waiting from turns
          where waiting > 0 and project_id not in (select project_id from busy)
          order by used, since, project_id limit ${from + AT_ONCE}) as idle
        ${idleOnly ? sql`` : busy}) as standings
      order by used, since, project_id limit ${AT_ONCE} offset ${from}`.execute(transaction)
    for (const { project_id: projectId, under_way: underWay, ...row } of rows)
      yield { projectId, underWay, ...row }
    if (rows.length < AT_ONCE) return
  }
}

export interface Next extends Pick<Standing, 'written'> {
  readonly key: CaptureKey
}

/** The next page of the project that has used least. `lock`: no other transaction can take it. */
export async function findNext(
  transaction: Transaction<Tables>,
  now: number,
  { idleOnly, suspects, lock }: { idleOnly: boolean; suspects: boolean; lock: boolean },
): Promise<Next | undefined> {
  for await (const { projectId, written, waiting, underWay } of standings(transaction, now, { idleOnly })) {
    if (waiting <= underWay) continue
    const key = await findDue(transaction, now, { projectId, suspects, lock })
    if (key) return { key, written }
  }
  return undefined
}

/** The least that another project has used, of those that have captures due or under way. */
export async function leastUsed(
  transaction: Transaction<Tables>,
  now: number,
  own: string,
): Promise<number | undefined> {
  for await (const { projectId, used, underWay } of standings(transaction, now)) {
    if (projectId === own) continue
    if (underWay > 0 || (await findDue(transaction, now, { projectId, lock: false }))) return used
  }
  return undefined
}

/**
 * Adds to what a project has used: the time of an attempt that ended, or the cost of one that begins. False if `used` is not
 * `written` any more: another process was faster.
 */
export async function charge(
  transaction: Transaction<Tables>,
  projectId: string,
  { elapsed, begins, ends, written }: { elapsed: number; begins: boolean; ends: boolean; written?: number },
): Promise<boolean> {
  const cost = Math.max(0, elapsed) + (begins ? ATTEMPT_MS : 0)
  let update = transaction
    .updateTable('turns')
    .set(({ eb }) => ({
      used: eb('used', '+', cost),
      ...(ends && { waiting: sql<number>`case when waiting > 0 then waiting - 1 else 0 end` }),
    }))
    .where('project_id', '=', projectId)
  if (written !== undefined) update = update.where('used', '=', written)
  const { numUpdatedRows } = await update.executeTakeFirst()
  return numUpdatedRows > 0n
}
