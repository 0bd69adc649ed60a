import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { CaptureKey } from '../../captures.ts'
import type { Schema } from '../schema.ts'
import { findDue } from './due.ts'

// Whose turn it is: the project's that has used least of the browser. Its row is locked after that of a capture, and
// before that of a request, always.

/** What an attempt costs beside its time: a page that fails at once is not for nothing. */
const ATTEMPT_MS = 100
/** So many are read at a time. Mostly the first has a page that is due. */
const AT_ONCE = 16

/** A project that has something to be captured. */
interface Standing {
  readonly projectId: string
  /** What it has used of the browser, as it is written down: whoever took a page meanwhile has changed it. */
  readonly written: number
  /** And with what its pages under way have used until now. */
  readonly used: number
  readonly underWay: number
  /** With those under way. */
  readonly waiting: number
}

interface StandingRow {
  project_id: string
  written: number
  used: number
  under_way: number
  waiting: number
}

/** What each project has under way, and how long that has taken. */
const busyProjects = (now: number): RawBuilder<unknown> =>
  sql`select project_id, count(*) as pages,
        cast(sum(case when started < ${now} then ${now} - started else 0 end) as bigint) as elapsed
      from captures where state = 'running' group by project_id`

/** Projects by what they have used, the least first. What is under way is reckoned for the few that have something. */
async function* standings(
  transaction: Transaction<Schema>,
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

/** The page that comes next, of the project that has used least. `lock`: nobody else gets it meanwhile. */
export async function findNext(
  transaction: Transaction<Schema>,
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

/** What the others have used who have something due or under way: the least of it. */
export async function leastUsed(
  transaction: Transaction<Schema>,
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
 * Writes down what an attempt has used that ended, or that another begins. False where `written` is not what is
 * written down any more: another was faster.
 */
export async function charge(
  transaction: Transaction<Schema>,
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
