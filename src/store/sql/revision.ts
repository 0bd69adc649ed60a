import { randomBytes } from 'node:crypto'
import type { Transaction, Updateable } from 'kysely'
import type { Tables } from './tables.ts'

/** Random, not counted: so a restored backup or a project that is created again never repeats a revision. */
export function newRevision(): string {
  return randomBytes(12).toString('base64url')
}

/** Gives the project a new revision. False if there is no such project, or it is being removed. */
export async function changeProject(
  transaction: Transaction<Tables>,
  projectId: string,
  more: Pick<Updateable<Tables['projects']>, 'last_removal'> = {},
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('projects')
    .set({ revision: newRevision(), ...more })
    .where('project_id', '=', projectId)
    .where('removed', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
