import type { Transaction } from 'kysely'
import { AppError } from '../../errors.ts'
import type { NewRoot } from '../store.ts'
import { newRevision } from './revision.ts'
import type { Schema } from './schema.ts'

/** Rows per INSERT: 11 columns each, well below the bound parameters any engine takes. */
const INSERT_ROWS = 500

/**
 * Takes the root's id for this transaction, or answers false where it is taken. Where another transaction has it and
 * may still give it back, this waits for that.
 */
export async function claimRoot(transaction: Transaction<Schema>, root: NewRoot): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('roots')
    .values({
      project_id: root.projectId,
      root_id: root.rootId,
      created: root.created,
      revision: newRevision(),
      job_count: root.jobs.length,
      digest: root.digest,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

/** In the order of their ids, so that two roots that claim the same jobs cannot wait for each other. */
export async function claimJobs(transaction: Transaction<Schema>, root: NewRoot): Promise<void> {
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
