import { type RawBuilder, sql } from 'kysely'
import { AppError } from '../../../errors.ts'
import type { NewRoot } from '../../rows.ts'
import { insertNew, Overtaken, ofRoot, type Transaction, update } from '../database.ts'
import { changeProject, newRevision, unknownProject } from '../projects/projects.ts'

// A root is claimed, its pictures are published, and then it is shown. These are two short transactions, even if publishing
// takes long. Until the root is shown, only these functions see it.

/** Rows per INSERT. With 13 columns each, that is below the number of parameters that the engines accept. */
const INSERT_ROWS = 500
/**
 * A process that publishes renews its claim. A claim that was not renewed for this long belongs to a dead process. So does a
 * claim with a time so far in the future: a clock was ahead when it was renewed, and it was not renewed since.
 */
export const STALE_MS = 120_000
/** Instead of a time: the root is being removed. No import may take it over. */
const BEING_REMOVED = -1
export const HIDDEN = { claimed: BEING_REMOVED, claimers: 0, digest: '' }

export function isStale(now: number): RawBuilder<boolean> {
  return sql`claimed <> ${BEING_REMOVED} and (claimed < ${now - STALE_MS} or claimed > ${now + STALE_MS})`
}

type Claimed = Pick<NewRoot, 'projectId' | 'rootId' | 'digest'>

/**
 * Claims the ids of the root and its jobs. Returns `present` if the root is shown with the same content. Two imports of the
 * same content share the claim: they publish the same bytes, and one of them shows the root. Throws `conflict` if an id
 * belongs to other content.
 */
export async function claim(
  transaction: Transaction,
  root: NewRoot,
  now: number,
): Promise<'claimed' | 'present'> {
  await releaseDead(transaction, root.projectId, now)
  const isNew = await insertNew(transaction, 'roots', {
    ...{ project_id: root.projectId, root_id: root.rootId, created: root.created, digest: root.digest },
    ...{ revision: newRevision(), job_count: root.jobs.length, claimed: now, claimers: 1 },
  })
  if (isNew) {
    await insertJobs(transaction, root)
    return 'claimed'
  }
  if ((await changeClaim(transaction, root, { claimed: now, more: 1 })) !== undefined) return 'claimed'
  const existing = await transaction
    .selectFrom('roots')
    .select(['digest', 'claimed'])
    .where(ofRoot(root))
    .executeTakeFirst()
  // The claim was released in this moment, so the id is free.
  if (!existing) throw new Overtaken()
  if (existing.digest === root.digest) return 'present'
  throw existing.claimed === null
    ? new AppError('conflict', `root ${root.rootId} exists already with other content`)
    : new AppError('conflict', `root ${root.rootId} ${whyTaken(existing.claimed)}`)
}

function whyTaken(claimed: number): string {
  return claimed === BEING_REMOVED
    ? 'is being removed; try again in a moment'
    : 'is being added by another import, with other content; if that was interrupted, try again in two minutes'
}

/** False if the claim was lost: it was not renewed for too long, and another import took it over. */
export async function renewClaim(transaction: Transaction, root: NewRoot, now: number): Promise<boolean> {
  return (await changeClaim(transaction, root, { claimed: now, more: 0 })) !== undefined
}

/**
 * Shows the root. False if there is no claim: another import that shared it has shown the root, or the claim was lost. Throws
 * `not_found` if the project was removed meanwhile.
 */
export async function showRoot(transaction: Transaction, root: NewRoot): Promise<boolean> {
  if ((await changeClaim(transaction, root, { claimed: null, more: 0 })) === undefined) return false
  if (!(await changeProject(transaction, root.projectId))) throw unknownProject(root.projectId)
  return true
}

/** Releases the claim. When all that share it have released it, the ids are free. Does nothing if the root is shown. */
export async function releaseClaim(transaction: Transaction, root: Claimed, now: number): Promise<void> {
  if ((await changeClaim(transaction, root, { claimed: now, more: -1 })) === 0)
    await remove(transaction, root)
}

/** Returns how many share the claim now. Undefined if there is no claim with this content. The row stays locked. */
async function changeClaim(
  transaction: Transaction,
  root: Claimed,
  { claimed, more }: { claimed: number | null; more: number },
): Promise<number | undefined> {
  const row = await transaction
    .updateTable('roots')
    .set(({ eb }) => ({ claimed, claimers: eb('claimers', '+', more) }))
    .where(ofRoot(root))
    .where('digest', '=', root.digest)
    .where('claimed', 'is not', null)
    .returning('claimers')
    .executeTakeFirst()
  return row?.claimers
}

async function releaseDead(transaction: Transaction, projectId: string, now: number): Promise<void> {
  const dead = await transaction
    .selectFrom('roots')
    .select(['project_id as projectId', 'root_id as rootId', 'digest'])
    .where('project_id', '=', projectId)
    .where(isStale(now))
    .orderBy('root_id')
    .execute()
  for (const root of dead) {
    // Checks again and locks: another import may have joined the claim or shown the root.
    const isDead = await update(transaction, 'roots', { claimers: 0 }, ofRoot(root), isStale(now))
    if (isDead) await remove(transaction, root)
  }
}

async function remove(transaction: Transaction, root: Claimed): Promise<void> {
  for (const table of ['jobs', 'roots'] as const)
    await transaction.deleteFrom(table).where(ofRoot(root)).execute()
}

/** In the order of their ids, so that two imports that claim the same jobs cannot block each other. */
async function insertJobs(transaction: Transaction, root: NewRoot): Promise<void> {
  const rows = root.jobs
    .map(({ uuid, url, name, created, basepath, width, height, ...job }, index) => ({
      ...{ project_id: root.projectId, root_id: root.rootId, position: job.position ?? index, uuid },
      picture: job.picture === undefined || job.picture === uuid ? null : job.picture,
      ...{ url, name, loading_time: job.loadingTime, created, basepath, width, height },
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
  transaction: Transaction,
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
