import { sql, type Transaction } from 'kysely'
import type { RootKey } from '../../store.ts'
import { usedUntil } from '../captures/attempts.ts'
import { changeProject } from '../revision.ts'
import type { Tables } from '../tables.ts'
import { BEING_REMOVED } from './claims.ts'

/** Jobs that one transaction removes. */
const JOBS_AT_ONCE = 200

export interface RemovalStep {
  readonly pictures: readonly string[]
  /** The root is completely removed. */
  readonly isLast: boolean
}

/** Hides the root, if it is not hidden yet, and removes some of its jobs. Undefined if there is nothing to remove. */
export async function removeStep(
  transaction: Transaction<Tables>,
  root: RootKey,
  { now, lock }: { now: number; lock: boolean },
): Promise<RemovalStep | undefined> {
  await removeRequest(transaction, root, { now, lock })
  if (!(await hide(transaction, root, now))) return undefined
  const pictures = await removeJobs(transaction, root)
  const isLast = pictures.length < JOBS_AT_ONCE
  if (isLast) await deleteOf(transaction, 'roots', root)
  return { pictures, isLast }
}

/** Removes the request and its captures. Rows are locked in the order of `attempts.ts`. */
async function removeRequest(
  transaction: Transaction<Tables>,
  root: RootKey,
  { now, lock }: { now: number; lock: boolean },
): Promise<void> {
  const find = transaction
    .selectFrom('captures')
    .select(['state', 'finished', 'started', 'lease'])
    .where('project_id', '=', root.projectId)
    .where('root_id', '=', root.rootId)
    .orderBy('position')
  const captures = await (lock ? find.forUpdate() : find).execute()
  const unfinished = captures.filter(({ state, finished }) => finished === null && state !== 'scheduled')
  await deleteOf(transaction, 'captures', root)
  if (unfinished.length > 0) {
    const used = unfinished.reduce((sum, capture) => sum + usedUntil(now, capture), 0)
    await transaction
      .updateTable('turns')
      .set(({ eb }) => ({
        used: eb('used', '+', used),
        waiting: sql<number>`case when waiting > ${unfinished.length} then waiting - ${unfinished.length} else 0 end`,
      }))
      .where('project_id', '=', root.projectId)
      .execute()
  }
  await deleteOf(transaction, 'requests', root)
  await deleteOf(transaction, 'events', root)
}

/** False if there is no such root, or it is being added. */
async function hide(transaction: Transaction<Tables>, root: RootKey, now: number): Promise<boolean> {
  const ofRoot = transaction
    .updateTable('roots')
    .set({ claimed: BEING_REMOVED, claimers: 0, digest: '' })
    .where('project_id', '=', root.projectId)
    .where('root_id', '=', root.rootId)
  const shown = await ofRoot.where('claimed', 'is', null).executeTakeFirst()
  if (shown.numUpdatedRows > 0n) await changeProject(transaction, root.projectId, { last_removal: now })
  const hidden = await ofRoot.where('claimed', '=', BEING_REMOVED).executeTakeFirst()
  return hidden.numUpdatedRows > 0n
}

async function removeJobs(
  transaction: Transaction<Tables>,
  { projectId, rootId }: RootKey,
): Promise<string[]> {
  const some = await transaction
    .selectFrom('jobs')
    .select(['uuid', 'picture'])
    .where('project_id', '=', projectId)
    .where('root_id', '=', rootId)
    .orderBy('position')
    .limit(JOBS_AT_ONCE)
    .execute()
  const uuids = some.map(({ uuid }) => uuid)
  if (uuids.length > 0)
    await transaction
      .deleteFrom('jobs')
      .where('project_id', '=', projectId)
      .where('uuid', 'in', uuids)
      .execute()
  return some.map(({ uuid, picture }) => picture ?? uuid)
}

async function deleteOf(
  transaction: Transaction<Tables>,
  table: 'captures' | 'requests' | 'events' | 'roots',
  { projectId, rootId }: RootKey,
): Promise<void> {
  await transaction
    .deleteFrom(table)
    .where('project_id', '=', projectId)
    .where('root_id', '=', rootId)
    .execute()
}
