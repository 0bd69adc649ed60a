import { sql } from 'kysely'
import type { RootKey } from '../../rows.ts'
import { usedUntil } from '../captures/attempts.ts'
import { ofProject, ofRoot, type Transaction, update } from '../database.ts'
import { changeProject } from '../projects/projects.ts'
import { HIDDEN } from './claims.ts'

/** Jobs that one transaction removes. */
const JOBS_AT_ONCE = 200

/** Hides the root, if it is not hidden yet, and removes some of its jobs. Undefined if there is nothing to remove. */
export async function removeStep(transaction: Transaction, root: RootKey, now: number) {
  await removeRequest(transaction, root, now)
  if (!(await hide(transaction, root, now))) return undefined
  const pictures = await removeJobs(transaction, root)
  const isLast = pictures.length < JOBS_AT_ONCE
  if (isLast) await transaction.deleteFrom('roots').where(ofRoot(root)).execute()
  return { pictures, isLast }
}

/** Removes the request and its captures. Rows are locked in the order of `attempts.ts`. */
async function removeRequest(transaction: Transaction, root: RootKey, now: number): Promise<void> {
  const captures = await transaction
    .selectFrom('captures')
    .select(['state', 'finished', 'started', 'lease'])
    .where(ofRoot(root))
    .orderBy('position')
    .forUpdate()
    .execute()
  const unfinished = captures.filter(({ state, finished }) => finished === null && state !== 'scheduled')
  await transaction.deleteFrom('captures').where(ofRoot(root)).execute()
  if (unfinished.length > 0) {
    const used = unfinished.reduce((sum, capture) => sum + usedUntil(now, capture), 0)
    const left = {
      used: sql<number>`used + ${used}`,
      waiting: sql<number>`case when waiting > ${unfinished.length} then waiting - ${unfinished.length} else 0 end`,
    }
    await update(transaction, 'turns', left, ofProject(root.projectId))
  }
  for (const table of ['requests', 'events'] as const)
    await transaction.deleteFrom(table).where(ofRoot(root)).execute()
}

/** False if there is no such root, or it is being added. */
async function hide(transaction: Transaction, root: RootKey, now: number): Promise<boolean> {
  const wasShown = await update(transaction, 'roots', HIDDEN, ofRoot(root), sql`claimed is null`)
  if (wasShown) await changeProject(transaction, root.projectId, { last_removal: now })
  return await update(transaction, 'roots', HIDDEN, ofRoot(root), sql`claimed = ${HIDDEN.claimed}`)
}

async function removeJobs(transaction: Transaction, root: RootKey): Promise<string[]> {
  const some = await transaction
    .selectFrom('jobs')
    .select(['uuid', 'picture'])
    .where(ofRoot(root))
    .orderBy('position')
    .limit(JOBS_AT_ONCE)
    .execute()
  const uuids = some.map(({ uuid }) => uuid)
  if (uuids.length > 0)
    await transaction
      .deleteFrom('jobs')
      .where('project_id', '=', root.projectId)
      .where('uuid', 'in', uuids)
      .execute()
  return some.map(({ uuid, picture }) => picture ?? uuid)
}
