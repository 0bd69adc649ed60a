import type { ExpressionBuilder, ExpressionWrapper, SqlBool, Transaction } from 'kysely'
import { AppError } from '../../../errors.ts'
import type { NewRoot } from '../../store.ts'
import type { Schema } from '../schema.ts'
import { unknownProject } from './projects.ts'
import { changeProject, newRevision } from './revision.ts'

// A root is claimed, its pictures are published, and then it is shown: two short transactions, however long the
// publishing takes. Until it is shown nobody but these functions sees it.

/** Rows per INSERT: 12 columns each, well below the bound parameters any engine takes. */
const INSERT_ROWS = 500
/**
 * Whoever publishes renews the claim; one that was not renewed for this long is a dead one's. So is one that was renewed
 * so much later than now: by a clock that was ahead, and not since.
 */
export const STALE_MS = 120_000
/** In the place of a time: nobody publishes it, and nobody may take it over. */
export const BEING_REMOVED = -1
export const isStale =
  (now: number) =>
  (eb: ExpressionBuilder<Schema, 'roots'>): ExpressionWrapper<Schema, 'roots', SqlBool> =>
    eb.and([
      eb('claimed', '!=', BEING_REMOVED),
      eb.or([eb('claimed', '<', now - STALE_MS), eb('claimed', '>', now + STALE_MS)]),
    ])

type Claimed = Pick<NewRoot, 'projectId' | 'rootId' | 'digest'>

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
  for (;;) {
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
        claimers: 1,
      })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow()
    if (numInsertedOrUpdatedRows === 1n) {
      await insertJobs(transaction, root)
      return 'claimed'
    }
    if ((await changeClaim(transaction, root, { claimed: now, more: 1 })) !== undefined) return 'claimed'
    const existing = await transaction
      .selectFrom('roots')
      .select(['digest', 'claimed'])
      .where('project_id', '=', root.projectId)
      .where('root_id', '=', root.rootId)
      .executeTakeFirst()
    // Given back in this very moment: then it is free.
    if (!existing) continue
    if (existing.digest === root.digest) return 'present'
    throw existing.claimed === null
      ? new AppError('conflict', `root ${root.rootId} exists already with other content`)
      : new AppError('conflict', `root ${root.rootId} ${whyTaken(existing.claimed)}`)
  }
}

function whyTaken(claimed: number): string {
  return claimed === BEING_REMOVED
    ? 'is being removed; try again in a moment'
    : 'is being added by someone else, with other content; if that was interrupted, try again in two minutes'
}

/** Keeps the claim from looking like a dead one's. False where it was taken for one already. */
export async function renewClaim(
  transaction: Transaction<Schema>,
  root: NewRoot,
  now: number,
): Promise<boolean> {
  return (await changeClaim(transaction, root, { claimed: now, more: 0 })) !== undefined
}

/**
 * False where there is no claim to show: another who shared it has shown it, or it was taken for a dead one's. Throws
 * `not_found` where the project was removed meanwhile.
 */
export async function showRoot(transaction: Transaction<Schema>, root: NewRoot): Promise<boolean> {
  if ((await changeClaim(transaction, root, { claimed: null, more: 0 })) === undefined) return false
  if (!(await changeProject(transaction, root.projectId))) throw unknownProject(root.projectId)
  return true
}

/** Gives the ids back, once all who share the claim have. Does nothing where the root is shown. */
export async function releaseClaim(
  transaction: Transaction<Schema>,
  root: Claimed,
  now: number,
): Promise<void> {
  if ((await changeClaim(transaction, root, { claimed: now, more: -1 })) === 0)
    await remove(transaction, root)
}

/** Answers how many share the claim now; undefined where there is none of this content. Others wait meanwhile. */
async function changeClaim(
  transaction: Transaction<Schema>,
  root: Claimed,
  { claimed, more }: { claimed: number | null; more: number },
): Promise<number | undefined> {
  const row = await transaction
    .updateTable('roots')
    .set(({ eb }) => ({ claimed, claimers: eb('claimers', '+', more) }))
    .where('project_id', '=', root.projectId)
    .where('root_id', '=', root.rootId)
    .where('digest', '=', root.digest)
    .where('claimed', 'is not', null)
    .returning('claimers')
    .executeTakeFirst()
  return row?.claimers
}

async function releaseDead(transaction: Transaction<Schema>, projectId: string, now: number): Promise<void> {
  const dead = await transaction
    .selectFrom('roots')
    .select(['root_id', 'digest'])
    .where('project_id', '=', projectId)
    .where(isStale(now))
    .orderBy('root_id')
    .execute()
  for (const { root_id: rootId, digest } of dead) {
    // Looked at again, and held: someone may just have joined or shown it.
    const { numUpdatedRows } = await transaction
      .updateTable('roots')
      .set({ claimers: 0 })
      .where('project_id', '=', projectId)
      .where('root_id', '=', rootId)
      .where(isStale(now))
      .executeTakeFirst()
    if (numUpdatedRows === 1n) await remove(transaction, { projectId, rootId, digest })
  }
}

async function remove(transaction: Transaction<Schema>, root: Claimed): Promise<void> {
  for (const table of ['jobs', 'roots'] as const) {
    await transaction
      .deleteFrom(table)
      .where('project_id', '=', root.projectId)
      .where('root_id', '=', root.rootId)
      .execute()
  }
}

/** In the order of their ids, so that two roots that claim the same jobs cannot wait for each other. */
async function insertJobs(transaction: Transaction<Schema>, root: NewRoot): Promise<void> {
  const rows = root.jobs
    .map((job, index) => ({
      project_id: root.projectId,
      root_id: root.rootId,
      position: job.position ?? index,
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
    .innerJoin('roots', (join) =>
      join.onRef('roots.project_id', '=', 'jobs.project_id').onRef('roots.root_id', '=', 'jobs.root_id'),
    )
    .select(['jobs.uuid', 'jobs.root_id', 'roots.claimed'])
    .where('jobs.project_id', '=', root.projectId)
    .where('jobs.root_id', '!=', root.rootId)
    .where(
      'jobs.uuid',
      'in',
      jobs.map((job) => job.uuid),
    )
    .executeTakeFirst()
  if (!taken) throw new AppError('conflict', `root ${root.rootId} names a job twice`)
  const state = taken.claimed === null ? 'exists already' : whyTaken(taken.claimed)
  throw new AppError('conflict', `job ${taken.uuid} ${state}, in root ${taken.root_id}`)
}
