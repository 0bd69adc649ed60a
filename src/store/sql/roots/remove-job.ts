import type { Transaction } from 'kysely'
import type { RootKey } from '../../store.ts'
import { countMarks, marksOf } from '../captures/marks.ts'
import { changeProject, newRevision } from '../revision.ts'
import type { Tables } from '../tables.ts'

/** See `Removals.removeJob`. Rows are locked in the order of `attempts.ts`. */
export async function removeJob(
  transaction: Transaction<Tables>,
  { projectId, uuid, now }: { projectId: string; uuid: string; now: number },
): Promise<string | undefined> {
  const found = await transaction
    .selectFrom('jobs')
    .select(['root_id', 'position', 'picture'])
    .where('project_id', '=', projectId)
    .where('uuid', '=', uuid)
    .executeTakeFirst()
  if (!found) return undefined
  const root = { projectId, rootId: found.root_id }
  await removePage(transaction, root, { uuid, position: found.position })
  if (!(await lockShown(transaction, root))) return undefined
  const { numDeletedRows } = await transaction
    .deleteFrom('jobs')
    .where('project_id', '=', projectId)
    .where('uuid', '=', uuid)
    .executeTakeFirst()
  // Another process was faster.
  if (numDeletedRows === 0n) return undefined
  await transaction
    .updateTable('roots')
    .set(({ eb }) => ({ job_count: eb('job_count', '-', 1), revision: newRevision() }))
    .where('project_id', '=', projectId)
    .where('root_id', '=', root.rootId)
    .execute()
  await changeProject(transaction, projectId, { last_removal: now })
  return found.picture ?? uuid
}

/** Does nothing if the job was imported. */
async function removePage(
  transaction: Transaction<Tables>,
  { projectId, rootId }: RootKey,
  { uuid, position }: { uuid: string; position: number },
): Promise<void> {
  const capture = await transaction
    .deleteFrom('captures')
    .where('project_id', '=', projectId)
    .where('root_id', '=', rootId)
    .where('position', '=', position)
    .where('attempt', '=', uuid)
    .returning(['seen', 'cut'])
    .executeTakeFirst()
  if (!capture) return
  const request = transaction
    .updateTable('requests')
    .where('project_id', '=', projectId)
    .where('root_id', '=', rootId)
  const { marks } = await request
    .set(({ eb }) => ({ version: eb('version', '+', 1) }))
    .returning('marks')
    .executeTakeFirstOrThrow()
  const page = marksOf({
    seen: capture.seen === null ? undefined : JSON.parse(capture.seen),
    cut: capture.cut === 1,
  })
  await request.set({ marks: countMarks(marks, [page], -1) }).execute()
  await transaction
    .deleteFrom('events')
    .where('project_id', '=', projectId)
    .where('root_id', '=', rootId)
    .where('position', '=', position)
    .execute()
}

/** False if the root is being added or removed. */
async function lockShown(transaction: Transaction<Tables>, { projectId, rootId }: RootKey): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('roots')
    .set(({ ref }) => ({ job_count: ref('job_count') }))
    .where('project_id', '=', projectId)
    .where('root_id', '=', rootId)
    .where('claimed', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
