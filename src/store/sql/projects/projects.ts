import type { Kysely, Transaction } from 'kysely'
import { AppError } from '../../../errors.ts'
import type { Project } from '../../store.ts'
import type { Tables } from '../tables.ts'
import { newRevision } from '../revision.ts'

/** Throws `not_found`, also if the project is being removed. `lock`: no other transaction changes it until this one ends. */
export async function requireProject(
  db: Kysely<Tables>,
  projectId: string,
  { lock = false } = {},
): Promise<void> {
  const find = db
    .selectFrom('projects')
    .select('project_id')
    .where('project_id', '=', projectId)
    .where('removed', 'is', null)
  if (!(await (lock ? find.forUpdate() : find).executeTakeFirst())) throw unknownProject(projectId)
}

/** One statement compares the revision and changes it: no other write comes between. */
export async function renameProject(
  transaction: Transaction<Tables>,
  { projectId, name, revision }: { projectId: string; name: string; revision: string | undefined },
): Promise<Project | undefined> {
  let update = transaction
    .updateTable('projects')
    .set({ name, revision: newRevision() })
    .where('project_id', '=', projectId)
    .where('removed', 'is', null)
  if (revision !== undefined) update = update.where('revision', '=', revision)
  const row = await update.returning(['created', 'revision']).executeTakeFirst()
  if (row) return { projectId, name, created: row.created, revision: row.revision }
  if (revision === undefined) return undefined
  await requireProject(transaction, projectId)
  throw new AppError('precondition_failed')
}

export function unknownProject(projectId: string): AppError {
  return new AppError('not_found', `there is no project ${projectId}`)
}
