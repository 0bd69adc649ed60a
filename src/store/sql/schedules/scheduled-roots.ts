import { sql, type Transaction, type UpdateObject } from 'kysely'
import { LATE_MS, type ScheduledRoots } from '../../schedules.ts'
import type { RootKey } from '../../store.ts'
import { appendEvents } from '../captures/events.ts'
import { isCompeting, joinTurns, lockTurns } from '../captures/join-turns.ts'
import { finishIfLast } from '../captures/life.ts'
import { firstTurn } from '../captures/requests.ts'
import type { Database } from '../database.ts'
import type { Tables } from '../tables.ts'

export class SqlScheduledRoots implements ScheduledRoots {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async findDue(at: number, limit: number): Promise<RootKey[]> {
    const now = await this.#db.timeAt(at)
    const rows = await this.#db.read
      .selectFrom('requests')
      .innerJoin('projects', 'projects.project_id', 'requests.project_id')
      .select(['requests.project_id', 'requests.root_id'])
      .where('requests.scheduled', '<=', now)
      .where('requests.scheduled', 'is not', null)
      .where('requests.begun', 'is', null)
      .where('requests.finished', 'is', null)
      .where('projects.removed', 'is', null)
      .orderBy('requests.scheduled')
      .limit(limit)
      .execute()
    return rows.map((row) => ({ projectId: row.project_id, rootId: row.root_id }))
  }

  async begin(root: RootKey, at: number): Promise<boolean> {
    const { projectId } = root
    const now = await this.#db.timeAt(at)
    const lock = this.#db.lock
    return await this.#db.transaction(async (transaction) => {
      const pages = await lockPages(transaction, root, { lock, wait: false })
      if (pages === 0) return false
      const competes = await isCompeting(transaction, projectId, now)
      const turns = await lockTurns(transaction, projectId, { lock })
      await joinTurns(transaction, { projectId, now, pages, competes }, turns)
      const version = await change(transaction, root, { begun: now, late_ms: lateSince(now) })
      const first = await firstTurn(transaction, projectId)
      await ofRoot(transaction, root)
        .set(({ eb, ref }) => ({
          ...{ state: 'queued', queued: now, changed: version },
          turn: eb(ref('position'), '+', first),
        }))
        .execute()
      return true
    })
  }

  async cancel(root: RootKey, at: number): Promise<boolean> {
    const now = await this.#db.timeAt(at)
    return await this.#db.transaction(async (transaction) => {
      const pages = await lockPages(transaction, root, { lock: this.#db.lock, wait: true })
      if (pages === 0) return (await findOutcome(transaction, root)) === 'cancelled'
      const version = await change(transaction, root, {})
      await ofRoot(transaction, root).set({ state: 'cancelled', finished: now, changed: version }).execute()
      await transaction
        .deleteFrom('secrets')
        .where('project_id', '=', root.projectId)
        .where('root_id', '=', root.rootId)
        .execute()
      if (await finishIfLast(transaction, root, now))
        await appendEvents(transaction, root, [{ kind: 'root.finished' }], now)
      return true
    })
  }
}

/**
 * How many pages of the root are scheduled. Rows are locked in the order of `attempts.ts`. Without `wait`, a root whose first
 * page is locked is left to the process that has locked it: so no process gets only a part of the pages.
 */
async function lockPages(
  transaction: Transaction<Tables>,
  { projectId, rootId }: RootKey,
  { lock, wait }: { lock: boolean; wait: boolean },
): Promise<number> {
  const find = transaction
    .selectFrom('captures')
    .select('position')
    .where('project_id', '=', projectId)
    .where('root_id', '=', rootId)
    .where('state', '=', 'scheduled')
    .orderBy('position')
  if (!lock) return (await find.execute()).length
  const locked = find.forUpdate()
  if (!wait && !(await locked.where('position', '=', 0).skipLocked().executeTakeFirst())) return 0
  return (await locked.execute()).length
}

/** How late a root begins, if that is worth telling. */
function lateSince(now: number) {
  return sql<number | null>`case when scheduled < ${now - LATE_MS} then ${now} - scheduled end`
}

/** Raises the version of the request. Returns it. */
async function change(
  transaction: Transaction<Tables>,
  { projectId, rootId }: RootKey,
  more: UpdateObject<Tables, 'requests'>,
): Promise<number> {
  const { version } = await transaction
    .updateTable('requests')
    .set(({ eb }) => ({ version: eb('version', '+', 1), ...more }))
    .where('project_id', '=', projectId)
    .where('root_id', '=', rootId)
    .returning('version')
    .executeTakeFirstOrThrow()
  return version
}

function ofRoot(transaction: Transaction<Tables>, { projectId, rootId }: RootKey) {
  return transaction
    .updateTable('captures')
    .where('project_id', '=', projectId)
    .where('root_id', '=', rootId)
    .where('state', '=', 'scheduled')
}

async function findOutcome(transaction: Transaction<Tables>, { projectId, rootId }: RootKey) {
  const found = await transaction
    .selectFrom('requests')
    .select('outcome')
    .where('project_id', '=', projectId)
    .where('root_id', '=', rootId)
    .executeTakeFirst()
  return found?.outcome
}
