import { sql, type Transaction } from 'kysely'
import type { EventKind, Events, RootEvent, TrimOptions } from '../../events.ts'
import type { RootKey } from '../../store.ts'
import type { Database } from '../database.ts'
import type { Tables } from '../tables.ts'

export interface NewEvent {
  readonly kind: EventKind
  readonly position?: number
}

/**
 * Numbers and writes events. The row of the project stays locked until the transaction ends. So the numbers become visible
 * in their order, and a number that is rolled back is used again. This row is the last to be locked.
 */
export async function appendEvents(
  transaction: Transaction<Tables>,
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
    project_id: projectId,
    number: last - events.length + 1 + index,
    kind,
    root_id: rootId,
    position,
    created: now,
  }))
  await transaction.insertInto('events').values(rows).execute()
}

/** Every webhook that is on has looked at it. */
const IS_TAKEN = sql`not exists (select 1 from webhooks where webhooks.project_id = events.project_id
  and webhooks.paused = 0 and webhooks.off_since is null and webhooks.after < events.number)`

export class SqlEvents implements Events {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async read(projectId: string, { after, limit }: { after: number; limit: number }): Promise<RootEvent[]> {
    const rows = await this.#db.read
      .selectFrom('events')
      .select(['number', 'kind', 'root_id', 'position', 'created'])
      .where('project_id', '=', projectId)
      .where('number', '>', after)
      .orderBy('number')
      .limit(limit)
      .execute()
    return rows.map(({ root_id: rootId, position, ...event }) => ({
      ...event,
      rootId,
      position: position ?? undefined,
    }))
  }

  async trim({ before, most, limit }: TrimOptions): Promise<number> {
    const old = sql`select project_id, number from events where created < ${before} and ${IS_TAKEN}
      order by created limit ${limit}`
    const surplus = sql`select events.project_id, events.number from projects cross join events
      where last_event > ${most} and events.project_id = projects.project_id
        and events.number <= last_event - ${most} and ${IS_TAKEN} limit ${limit}`
    let removed = 0
    for (const some of [old, surplus]) {
      const { numAffectedRows = 0n } = await this.#db.transaction((transaction) =>
        sql`delete from events where (project_id, number) in (${some})`.execute(transaction),
      )
      removed += Number(numAffectedRows)
    }
    return removed
  }
}
