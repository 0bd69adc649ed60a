import { sql } from 'kysely'
import type { RootKey } from '../../rows.ts'
import { LATE_MS } from '../../schedules.ts'
import { appendEvents, finishIfLast } from '../captures/events.ts'
import { firstTurn, raiseVersion } from '../captures/requests.ts'
import { isCompeting, joinTurns, lockTurns } from '../captures/turns.ts'
import { type Database, ofRoot, type Transaction, update } from '../database.ts'

const IS_SCHEDULED = sql<boolean>`state = 'scheduled'`

/**
 * Roots whose pages are captured later, once. They are accepted as all others (`Captures.accept`). Their captures are not in
 * the queue, and do not count as waiting.
 */
export function createScheduledRoots(db: Database) {
  return {
    /** Roots whose time has come, the earliest first. None of a project that is being removed. */
    async findDue(at: number, limit: number): Promise<RootKey[]> {
      const now = await db.timeAt(at)
      return await db.read
        .selectFrom('requests')
        .innerJoin('projects', 'projects.project_id', 'requests.project_id')
        .select(['requests.project_id as projectId', 'requests.root_id as rootId'])
        .where('requests.scheduled', '<=', now)
        .where('requests.scheduled', 'is not', null)
        .where('requests.begun', 'is', null)
        .where('requests.finished', 'is', null)
        .where('projects.removed', 'is', null)
        .orderBy('requests.scheduled')
        .limit(limit)
        .execute()
    },

    /** Queues the pages of a root. False if another process was faster, or it was cancelled. */
    async begin(root: RootKey, at: number): Promise<boolean> {
      const { projectId } = root
      const now = await db.timeAt(at)
      return await db.transaction(async (transaction) => {
        const pages = await lockPages(transaction, root, { wait: false })
        if (pages === 0) return false
        const competes = await isCompeting(transaction, projectId, now)
        const turns = await lockTurns(transaction, projectId)
        await joinTurns(transaction, { projectId, now, pages, competes }, turns)
        const late_ms = sql<number | null>`case when scheduled < ${now - LATE_MS} then ${now} - scheduled end`
        const { version: changed } = await raiseVersion(transaction, root, { begun: now, late_ms })
        const turn = sql<number>`position + ${await firstTurn(transaction, projectId)}`
        const queued = { state: 'queued', queued: now, changed, turn } as const
        return await update(transaction, 'captures', queued, ofRoot(root), IS_SCHEDULED)
      })
    },

    /**
     * Its pages will not be captured: the root is finished, its sealed secrets are deleted, and the event is written.
     * False if it has begun. True also if it was cancelled before.
     */
    async cancel(root: RootKey, at: number): Promise<boolean> {
      const now = await db.timeAt(at)
      return await db.transaction(async (transaction) => {
        const pages = await lockPages(transaction, root, { wait: true })
        if (pages === 0) {
          const find = transaction.selectFrom('requests').select('outcome').where(ofRoot(root))
          return (await find.executeTakeFirst())?.outcome === 'cancelled'
        }
        const { version: changed } = await raiseVersion(transaction, root)
        const cancelled = { state: 'cancelled', finished: now, changed } as const
        await update(transaction, 'captures', cancelled, ofRoot(root), IS_SCHEDULED)
        await transaction.deleteFrom('secrets').where(ofRoot(root)).execute()
        if (await finishIfLast(transaction, root, now))
          await appendEvents(transaction, root, [{ kind: 'root.finished' }], now)
        return true
      })
    },
  }
}

/**
 * How many pages of the root are scheduled. Rows are locked in the order of `attempts.ts`. Without `wait`, a root whose first
 * page is locked is left to the process that has locked it: so no process gets only a part of the pages.
 */
async function lockPages(
  transaction: Transaction,
  root: RootKey,
  { wait }: { wait: boolean },
): Promise<number> {
  const pages = transaction
    .selectFrom('captures')
    .select('position')
    .where(ofRoot(root))
    .where(IS_SCHEDULED)
    .orderBy('position')
    .forUpdate()
  if (!wait && !(await pages.where('position', '=', 0).skipLocked().executeTakeFirst())) return 0
  return (await pages.execute()).length
}
