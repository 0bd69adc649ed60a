import { type Kysely, sql } from 'kysely'
import type { CaptureState } from '../../../contract/states.ts'
import type { Outcome, RootEvent } from '../../captures.ts'
import type { RootKey } from '../../rows.ts'
import { type Database, isThere, ofRoot, type Transaction, update } from '../database.ts'
import type { Tables } from '../tables.ts'

/** Roots that are read at a time. */
const AT_ONCE = 100

/** Every webhook that is on has looked at it. */
const IS_TAKEN = sql`not exists (select 1 from webhooks where webhooks.project_id = events.project_id
  and webhooks.paused = 0 and webhooks.off_since is null and webhooks.after < events.number)`

/**
 * The outbox. An event is written once, in the transaction that makes it true. The numbers of a project become visible in
 * their order: a reader that has read up to a number never misses a smaller one. `root.finished` is the last event of its
 * root. A number may be missing: its event was trimmed, or its root was removed.
 */
export function createEvents(db: Database) {
  return {
    /** In their order, after the number `after`. 0: all that are kept. An unknown project has none. */
    async read(projectId: string, { after, limit }: { after: number; limit: number }): Promise<RootEvent[]> {
      const rows = await db.read
        .selectFrom('events')
        .select(['number', 'kind', 'root_id as rootId', 'position', 'created'])
        .where('project_id', '=', projectId)
        .where('number', '>', after)
        .orderBy('number')
        .limit(limit)
        .execute()
      return rows.map((event) => ({ ...event, position: event.position ?? undefined }))
    },

    /**
     * Removes some of the events from before `before`, and all but the newest `most` of a project, but none that a webhook still
     * has to look at. Returns how many. 0: nothing is left to trim.
     */
    async trim({ before, most, limit }: { before: number; most: number; limit: number }): Promise<number> {
      const old = sql`select project_id, number from events where created < ${before} and ${IS_TAKEN}
        order by created limit ${limit}`
      const surplus = sql`select events.project_id, events.number from projects cross join events
        where last_event > ${most} and events.project_id = projects.project_id
          and events.number <= last_event - ${most} and ${IS_TAKEN} limit ${limit}`
      let removed = 0
      for (const some of [old, surplus]) {
        const { numAffectedRows = 0n } = await db.transaction((transaction) =>
          sql`delete from events where (project_id, number) in (${some})`.execute(transaction),
        )
        removed += Number(numAffectedRows)
      }
      return removed
    },
  }
}

export type NewEvent = Pick<RootEvent, 'kind'> & Partial<Pick<RootEvent, 'position'>>

/**
 * Numbers and writes events. The row of the project stays locked until the transaction ends. So the numbers become visible
 * in their order, and a number that is rolled back is used again. This row is the last to be locked.
 */
export async function appendEvents(
  transaction: Transaction,
  { projectId, rootId }: RootKey,
  events: readonly NewEvent[],
  now: number,
): Promise<void> {
  const { last_event: last } = await transaction
    .updateTable('projects')
    .set(({ eb }) => ({ last_event: eb('last_event', '+', events.length) }))
    .where('project_id', '=', projectId)
    .returning('last_event')
    .executeTakeFirstOrThrow()
  const rows = events.map(({ kind, position = null }, index) => ({
    ...{ project_id: projectId, number: last - events.length + 1 + index, kind },
    ...{ root_id: rootId, position, created: now },
  }))
  await transaction.insertInto('events').values(rows).execute()
}

export function outcomeOf(states: readonly CaptureState[]): Outcome {
  if (states.includes('cancelled')) return 'cancelled'
  if (!states.includes('failed')) return 'done'
  return states.includes('done') ? 'partial' : 'failed'
}

/**
 * Writes that the root is finished, if all its captures have ended. Returns whether it was written now. The transaction has
 * locked the row of the request before. So if two transactions end the last two captures, the later one sees both ends.
 */
export async function finishIfLast(transaction: Transaction, root: RootKey, now: number): Promise<boolean> {
  const unfinished = sql<boolean>`finished is null`
  if (await isThere(transaction, 'captures', ofRoot(root), unfinished)) return false
  const ends = transaction.selectFrom('captures').select('state').distinct().where(ofRoot(root))
  const states = (await ends.execute()).map(({ state }) => state)
  const end = { finished: now, outcome: outcomeOf(states) }
  return await update(transaction, 'requests', end, ofRoot(root), unfinished)
}

// During an upgrade, an older version may end captures in the same database without writing that a root is finished.

/** Roots that are not finished although all their captures have ended. */
export async function findEnded(db: Kysely<Tables>): Promise<RootKey[]> {
  const { rows } = await sql<RootKey>`
    select project_id as "projectId", root_id as "rootId" from requests
    where finished is null and (scheduled is null or begun is not null) and not exists (
      select 1 from captures where captures.project_id = requests.project_id
        and captures.root_id = requests.root_id and captures.finished is null)
    limit ${AT_ONCE}`.execute(db)
  return rows
}

export async function finishEnded(transaction: Transaction, root: RootKey, now: number): Promise<void> {
  const isLocked = await update(transaction, 'requests', { version: sql`version` }, ofRoot(root))
  if (!isLocked || !(await finishIfLast(transaction, root, now))) return
  await appendEvents(transaction, root, [{ kind: 'root.finished' }], now)
}
