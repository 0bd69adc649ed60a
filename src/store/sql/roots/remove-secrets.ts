import { sql, type Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

// Every table whose rows hold or are a secret. Rows are locked in the order in which other transactions lock them, and before
// the row of the project.

/** Requests of templates and schedules have up to a megabyte. */
const LARGE_AT_ONCE = 50
const DELIVERIES_AT_ONCE = 200
const SEALED_AT_ONCE = 500

/** What a webhook keeps until its deliveries are gone. */
const EMPTY = { name: '', url: '', secrets: '[]', paused: 1, next_due: null, off_detail: null } as const

/** Removes some of the rows of a project that hold secrets. Whether there may be more. */
export async function removeSecrets(transaction: Transaction<Tables>, projectId: string): Promise<boolean> {
  await transaction.deleteFrom('keys').where('project_id', '=', projectId).execute()
  const remove = async (table: string, key: string, limit: number, of = sql`project_id = ${projectId}`) => {
    const columns = sql.raw(key)
    const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)} where (${columns}) in
      (select ${columns} from ${sql.table(table)} where ${of} limit ${limit})`.execute(transaction)
    return numAffectedRows === BigInt(limit)
  }
  const schedules = await remove('schedules', 'project_id, schedule_id', LARGE_AT_ONCE)
  const templates = await remove('templates', 'project_id, template_id', LARGE_AT_ONCE)
  const webhooks = await removeWebhooks(transaction, projectId, (of) =>
    remove('deliveries', 'delivery_id', DELIVERIES_AT_ONCE, of),
  )
  const sealed = await remove('secrets', 'project_id, root_id, position', SEALED_AT_ONCE)
  return schedules || templates || webhooks || sealed
}

/** The rows of webhooks are few. They are emptied at once, and go with the last of their deliveries. */
async function removeWebhooks(
  transaction: Transaction<Tables>,
  projectId: string,
  removeDeliveries: (of: ReturnType<typeof sql>) => Promise<boolean>,
): Promise<boolean> {
  await transaction.updateTable('webhooks').set(EMPTY).where('project_id', '=', projectId).execute()
  const ofProject = sql`select webhook_id from webhooks where project_id = ${projectId}`
  if (await removeDeliveries(sql`webhook_id in (${ofProject})`)) return true
  await transaction.deleteFrom('webhooks').where('project_id', '=', projectId).execute()
  return false
}
