import type { Kysely } from 'kysely'
import { AppError } from '../../../errors.ts'
import type { Tables } from '../tables.ts'

/** Throws `not_found`, also if the project is being removed. */
export async function requireProject(db: Kysely<Tables>, projectId: string): Promise<void> {
  const found = await db
    .selectFrom('projects')
    .select('project_id')
    .where('project_id', '=', projectId)
    .where('removed', 'is', null)
    .executeTakeFirst()
  if (!found) throw unknownProject(projectId)
}

export function unknownProject(projectId: string): AppError {
  return new AppError('not_found', `there is no project ${projectId}`)
}
