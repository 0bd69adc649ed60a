import type { Transaction } from 'kysely'
import { AppError } from '../../errors.ts'
import type { NewRoot } from '../store.ts'
import { newRevision } from './revision.ts'
import type { Schema } from './schema.ts'

// A root is claimed, its pictures are published, and then it is shown: two short transactions, however long the
// publishing takes. Until it is shown nobody but these functions sees it.

/** Rows per INSERT: 12 columns each, well below the bound parameters any engine takes. */
const INSERT_ROWS = 500
/** Whoever publishes renews the claim; one that was not renewed for this long is a dead one's. */
export const STALE_MS = 120_000
export const RENEW_MS = 15_000

/**
 * Takes the ids of the root and its jobs. `present` where the root is shown with the same content. Whoever claims the
 * same content shares the claim: they publish the same bytes, and one of them will show them. Throws `conflict`
 * where an id is another content's.
 */
export async function claim(
  transaction: Transaction<Schema>,
  root: NewRoot,
  now: number,
): Promise<'claimed' | 'present'> {
  await releaseDead(transaction, root.projectId, now)
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('roots')
    .values({
      project_id: root.projectId,
      root_id: root.rootId,
      created: root.created,
      revision: newRevision(),
      job_count: root.jobs.length,
      digest: root.digest,
      claimed: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows === 1n) {
    await insertJobs(transaction, root)
    return 'claimed'
  }
  const { digest, claimed } = await transaction
    .selectFrom('roots')
    .select(['digest', 'claimed'])
    .where('project_id', '=', root.projectId)
    .where('root_id', '=', root.rootId)
    .executeTakeFirstOrThrow()
  if (digest === root.digest) return claimed === null ? 'present' : 'claimed'
  const state = claimed === null ? 'exists already' : 'is being added by someone else'
  throw new AppError('conflict', `root ${root.rootId} ${state} with other content`)
}

/** Keeps the claim from looking like a dead one's. */
export async function renewClaim(
  transaction: Transaction<Schema>,
  root: NewRoot,
  now: number,
): Promise<void> {
  await ownClaim(transaction, root, now)
}

/** False where there is no claim to show: another who shared it has shown it, or it was taken for a dead one's. */
export async function showRoot(transaction: Transaction<Schema>, root: NewRoot): Promise<boolean> {
  if (!(await ownClaim(transaction, root, null))) return false
  await transaction
    .updateTable('projects')
    .set({ revision: newRevision() })
    .where('project_id', '=', root.projectId)
    .execute()
  return true
}

/** Gives the ids back. Does nothing where the root is shown. */
export async function releaseClaim(
  transaction: Transaction<Schema>,
  root: Pick<NewRoot, 'projectId' | 'rootId' | 'digest'>,
): Promise<void> {
  // Changing it keeps others from showing it meanwhile.
  if (!(await ownClaim(transaction, root, 0))) return
  for (const table of ['jobs', 'roots'] as const) {
    await transaction
      .deleteFrom(table)
      .where('project_id', '=', root.projectId)
      .where('root_id', '=', root.rootId)
      .execute()
  }
}

async function ownClaim(
  transaction: Transaction<Schema>,
  root: Pick<NewRoot, 'projectId' | 'rootId' | 'digest'>,
  claimed: number | null,
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('roots')
    .set({ claimed })
    .where('project_id', '=', root.projectId)
    .where('root_id', '=', root.rootId)
    .where('digest', '=', root.digest)
    .where('claimed', 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

async function releaseDead(transaction: Transaction<Schema>, projectId: string, now: number): Promise<void> {
  const dead = await transaction
    .selectFrom('roots')
    .select(['root_id', 'digest'])
    .where('project_id', '=', projectId)
    .where('claimed', '<', now - STALE_MS)
    .execute()
  for (const { root_id: rootId, digest } of dead) {
    await releaseClaim(transaction, { projectId, rootId, digest })
  }
}

/** In the order of their ids, so that two roots that claim the same jobs cannot wait for each other. */
async function insertJobs(transaction: Transaction<Schema>, root: NewRoot): Promise<void> {
  const rows = root.jobs
    .map((job, position) => ({
      project_id: root.projectId,
      root_id: root.rootId,
      position,
      uuid: job.uuid,
      url: job.url,
      name: job.name,
      loading_time: job.loadingTime,
      created: job.created,
      basepath: job.basepath,
      width: job.width,
      height: job.height,
    }))
    .sort((a, b) => (a.uuid < b.uuid ? -1 : 1))
  for (let from = 0; from < rows.length; from += INSERT_ROWS) {
    const some = rows.slice(from, from + INSERT_ROWS)
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto('jobs')
      .values(some)
      .onConflict((conflict) => conflict.columns(['project_id', 'uuid']).doNothing())
      .executeTakeFirstOrThrow()
    if (numInsertedOrUpdatedRows !== BigInt(some.length)) await refuseTaken(transaction, root, some)
  }
}

async function refuseTaken(
  transaction: Transaction<Schema>,
  root: NewRoot,
  jobs: readonly { uuid: string }[],
): Promise<never> {
  const taken = await transaction
    .selectFrom('jobs')
    .select(['uuid', 'root_id'])
    .where('project_id', '=', root.projectId)
    .where('root_id', '!=', root.rootId)
    .where(
      'uuid',
      'in',
      jobs.map((job) => job.uuid),
    )
    .executeTakeFirst()
  throw new AppError(
    'conflict',
    taken
      ? `job ${taken.uuid} exists already, in root ${taken.root_id}`
      : `root ${root.rootId} names a job twice`,
  )
}
