import type { Kysely, Transaction } from 'kysely'
import { AppError } from '../errors.ts'
import { newRevision } from './revision.ts'
import type { Schema } from './schema.ts'
import type { NewRoot } from './store.ts'

/** Rows per INSERT: 11 columns each, well below the bound parameters any engine takes. */
const INSERT_ROWS = 500

export async function findDigest(
  db: Kysely<Schema>,
  projectId: string,
  rootId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('roots')
    .select('digest')
    .where('project_id', '=', projectId)
    .where('root_id', '=', rootId)
    .executeTakeFirst()
  return row?.digest
}

export async function refuseTakenJobs(transaction: Transaction<Schema>, root: NewRoot): Promise<void> {
  for (const jobs of chunks(root.jobs)) {
    const taken = await transaction
      .selectFrom('jobs')
      .select(['uuid', 'root_id'])
      .where('project_id', '=', root.projectId)
      .where(
        'uuid',
        'in',
        jobs.map((job) => job.uuid),
      )
      .executeTakeFirst()
    if (taken) throw new AppError('conflict', `job ${taken.uuid} exists already, in root ${taken.root_id}`)
  }
}

export async function insertRoot(transaction: Transaction<Schema>, root: NewRoot): Promise<void> {
  const revision = newRevision()
  const { numUpdatedRows } = await transaction
    .updateTable('projects')
    .set({ revision })
    .where('project_id', '=', root.projectId)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw unknownProject(root.projectId)
  await transaction
    .insertInto('roots')
    .values({
      project_id: root.projectId,
      root_id: root.rootId,
      created: root.created,
      revision,
      job_count: root.jobs.length,
      digest: root.digest,
    })
    .execute()
  let position = 0
  for (const jobs of chunks(root.jobs)) {
    await transaction
      .insertInto('jobs')
      .values(
        jobs.map((job) => ({
          project_id: root.projectId,
          root_id: root.rootId,
          position: position++,
          uuid: job.uuid,
          url: job.url,
          name: job.name,
          loading_time: job.loadingTime,
          created: job.created,
          basepath: job.basepath,
          width: job.width,
          height: job.height,
        })),
      )
      .execute()
  }
}

export function unknownProject(projectId: string): AppError {
  return new AppError('not_found', `there is no project ${projectId}`)
}

function chunks<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / INSERT_ROWS) }, (_, index) =>
    all.slice(index * INSERT_ROWS, (index + 1) * INSERT_ROWS),
  )
}
