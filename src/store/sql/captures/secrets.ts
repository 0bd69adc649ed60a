import type { Transaction } from 'kysely'
import type { CaptureKey, NewPage } from '../../captures.ts'
import type { RootKey } from '../../store.ts'
import { writeInSlices } from '../in-slices.ts'
import type { Tables } from '../tables.ts'

// The sealed secrets of captures. A foreign key deletes them with their capture, so removals need no code.

export async function keepSecrets(
  transaction: Transaction<Tables>,
  { projectId, rootId }: RootKey,
  pages: readonly NewPage[],
): Promise<void> {
  const rows = pages.flatMap(({ sealed }, position) =>
    sealed === undefined ? [] : { project_id: projectId, root_id: rootId, position, sealed },
  )
  await writeInSlices(rows, (some) => transaction.insertInto('secrets').values(some).execute())
}

export async function findSecrets(
  transaction: Transaction<Tables>,
  { projectId, rootId, position }: CaptureKey,
): Promise<string | undefined> {
  const found = await transaction
    .selectFrom('secrets')
    .select('sealed')
    .where('project_id', '=', projectId)
    .where('root_id', '=', rootId)
    .where('position', '=', position)
    .executeTakeFirst()
  return found?.sealed
}

export async function deleteSecrets(
  transaction: Transaction<Tables>,
  { projectId, rootId, position }: CaptureKey,
): Promise<void> {
  await transaction
    .deleteFrom('secrets')
    .where('project_id', '=', projectId)
    .where('root_id', '=', rootId)
    .where('position', '=', position)
    .execute()
}
