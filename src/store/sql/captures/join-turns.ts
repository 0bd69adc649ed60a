import { sql, type Transaction } from 'kysely'
import { AppError } from '../../../errors.ts'
import type { NewRequest } from '../../captures.ts'
import type { Tables } from '../tables.ts'
import { findDue } from './due.ts'
import { leastUsed } from './turns.ts'

/** By then, some pages of a full queue are captured. */
const RETRY_AFTER_S = 60

type Turns = Pick<Tables['turns'], 'used' | 'waiting' | 'since'>

/** Reads the row of a project. No other transaction changes it until this one ends. */
export async function lockTurns(
  transaction: Transaction<Tables>,
  projectId: string,
  { lock }: { lock: boolean },
): Promise<Turns> {
  const find = transaction
    .selectFrom('turns')
    .select(['used', 'waiting', 'since'])
    .where('project_id', '=', projectId)
  const locked = lock ? find.forUpdate() : find
  const found = await locked.executeTakeFirst()
  if (found) return found
  await transaction
    .insertInto('turns')
    .values({ project_id: projectId, used: 0, waiting: 0, since: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return await locked.executeTakeFirstOrThrow()
}

/** Throws `rate_limited` if too many pages would wait. */
export function requireRoom({ pages }: NewRequest, { waiting }: Turns, most: number): void {
  if (waiting + pages.length <= most) return
  throw new AppError(
    'rate_limited',
    `this project has ${waiting} waiting pages; ${pages.length} more would exceed its limit of ` +
      `${most} (MAX_PAGES_WAITING)`,
    { retryAfterS: RETRY_AFTER_S },
  )
}

/**
 * Adds waiting pages to a project. A project that had none begins with the least that others have used: it cannot save up
 * turns, and owes nothing from before. A project whose waiting pages are not due does not save up turns either.
 */
export async function joinTurns(
  transaction: Transaction<Tables>,
  { projectId, now, pages, competes }: { projectId: string; now: number; pages: number; competes: boolean },
  { used, waiting, since }: Turns,
): Promise<void> {
  const least = competes ? used : ((await leastUsed(transaction, now, projectId)) ?? 0)
  const start = waiting === 0 ? least : Math.max(used, least)
  await transaction
    .updateTable('turns')
    .set({ used: start, waiting: waiting + pages, since: waiting === 0 ? now : since })
    .where('project_id', '=', projectId)
    .execute()
}

/** Whether the project has a capture that is due or under way. */
export async function isCompeting(
  transaction: Transaction<Tables>,
  projectId: string,
  now: number,
): Promise<boolean> {
  const running = await transaction
    .selectFrom('captures')
    .select('position')
    .where('state', '=', sql.lit('running'))
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return running !== undefined || (await findDue(transaction, now, { projectId, lock: false })) !== undefined
}
