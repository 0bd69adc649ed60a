import { type RawBuilder, sql } from 'kysely'
import type { CaptureKey } from '../../captures.ts'
import { insertNew, isThere, ofProject, type Transaction, update } from '../database.ts'
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

/** The captures under way of each project, and their time until now. */
const busyProjects = (now: number): RawBuilder<unknown> =>
  sql`select project_id, count(*) as pages,
        cast(sum(case when started < ${now} then ${now} - started else 0 end) as bigint) as elapsed
      from captures where state = 'running' group by project_id`

/** Projects sorted by what they have used, the least first. The time under way is added for the few that have captures. */
async function* standings(
  transaction: Transaction,
  now: number,
  { idleOnly = false } = {},
): AsyncGenerator<Standing> {
  const busy = sql`union all
    select turns.project_id, used, used + elapsed, since, pages, waiting
    from busy cross join turns where turns.project_id = busy.project_id and waiting > 0`
  for (let from = 0; ; from += AT_ONCE) {
    const { rows } = await sql<Standing>`with busy as (${busyProjects(now)})
      select project_id as "projectId", written, used, under_way as "underWay", waiting from (
        select * from (
          select project_id, used as written, used, since, 0 as under_way, waiting from turns
          where waiting > 0 and project_id not in (select project_id from busy)
          order by used, since, project_id limit ${from + AT_ONCE}) as idle
        ${idleOnly ? sql`` : busy}) as standings
      order by used, since, project_id limit ${AT_ONCE} offset ${from}`.execute(transaction)
    yield* rows
    if (rows.length < AT_ONCE) return
  }
}

/** The next page of the project that has used least. No other transaction can take it. */
export async function findNext(
  transaction: Transaction,
  now: number,
  { idleOnly, suspects }: { idleOnly: boolean; suspects: boolean },
): Promise<{ readonly key: CaptureKey; readonly written: number } | undefined> {
  for await (const { projectId, written, waiting, underWay } of standings(transaction, now, { idleOnly })) {
    if (waiting <= underWay) continue
    const key = await findDue(transaction, now, { projectId, suspects, lock: true })
    if (key) return { key, written }
  }
  return undefined
}

/** The least that another project has used, of those that have captures due or under way. */
async function leastUsed(transaction: Transaction, now: number, own: string): Promise<number | undefined> {
  for await (const { projectId, used, underWay } of standings(transaction, now)) {
    if (projectId === own) continue
    if (underWay > 0 || (await findDue(transaction, now, { projectId }))) return used
  }
  return undefined
}

/**
 * Adds to what a project has used: the time of an attempt that ended, or the cost of one that begins. False if `used` is not
 * `written` any more: another process was faster.
 */
export async function charge(
  transaction: Transaction,
  projectId: string,
  {
    elapsed,
    begins = false,
    ends = false,
    written,
  }: { elapsed: number; begins?: boolean; ends?: boolean; written?: number | undefined },
): Promise<boolean> {
  const cost = Math.max(0, elapsed) + (begins ? ATTEMPT_MS : 0)
  const charged = {
    used: sql<number>`used + ${cost}`,
    ...(ends && { waiting: sql<number>`case when waiting > 0 then waiting - 1 else 0 end` }),
  }
  const asWritten = written === undefined ? [] : [sql<boolean>`used = ${written}`]
  return await update(transaction, 'turns', charged, ofProject(projectId), ...asWritten)
}

type Turns = Pick<Tables['turns'], 'used' | 'waiting' | 'since'>

/** Reads the row of a project. No other transaction changes it until this one ends. */
export async function lockTurns(transaction: Transaction, projectId: string): Promise<Turns> {
  const locked = transaction
    .selectFrom('turns')
    .select(['used', 'waiting', 'since'])
    .where('project_id', '=', projectId)
    .forUpdate()
  const found = await locked.executeTakeFirst()
  if (found) return found
  await insertNew(transaction, 'turns', { project_id: projectId, used: 0, waiting: 0, since: 0 })
  return await locked.executeTakeFirstOrThrow()
}

/**
 * Adds waiting pages to a project. A project that had none begins with the least that others have used: it cannot save up
 * turns, and owes nothing from before. A project whose waiting pages are not due does not save up turns either.
 */
export async function joinTurns(
  transaction: Transaction,
  { projectId, now, pages, competes }: { projectId: string; now: number; pages: number; competes: boolean },
  { used, waiting, since }: Turns,
): Promise<void> {
  const least = competes ? used : ((await leastUsed(transaction, now, projectId)) ?? 0)
  const start = waiting === 0 ? least : Math.max(used, least)
  const joined = { used: start, waiting: waiting + pages, since: waiting === 0 ? now : since }
  await update(transaction, 'turns', joined, ofProject(projectId))
}

/** Whether the project has a capture that is due or under way. */
export async function isCompeting(
  transaction: Transaction,
  projectId: string,
  now: number,
): Promise<boolean> {
  const isUnderWay = await isThere(transaction, 'captures', sql`state = 'running'`, ofProject(projectId))
  return isUnderWay || (await findDue(transaction, now, { projectId })) !== undefined
}
