import { type Kysely, sql } from 'kysely'
import { MOST_PENDING } from '../../../contract/states.ts'
import type { ListedWebhook, StoredDelivery, StoredWebhook, WebhookKey } from '../../webhooks.ts'
import type { Tables } from '../tables.ts'

export type WebhookRow = Tables['webhooks']
export type DeliveryRow = Tables['deliveries']

export function toWebhook(row: WebhookRow): StoredWebhook {
  const { off_since: since, off_reason: reason, off_detail: detail } = row
  return {
    projectId: row.project_id,
    webhookId: row.webhook_id,
    name: row.name,
    url: row.url,
    events: JSON.parse(row.events),
    format: row.format,
    paused: row.paused !== 0,
    secrets: JSON.parse(row.secrets),
    created: row.created,
    changed: row.changed,
    revision: row.revision,
    failingSince: row.failing_since ?? undefined,
    off: since === null || reason === null ? undefined : { since, reason, detail: detail ?? '' },
  }
}

export function toDelivery(row: DeliveryRow): StoredDelivery {
  const { last_at: at, last_ms: ms } = row
  return {
    deliveryId: row.delivery_id,
    event: row.event,
    rootId: row.root_id ?? undefined,
    position: row.position ?? undefined,
    state: row.state,
    created: row.created,
    attempts: row.attempts,
    due: row.lease === null ? (row.due ?? undefined) : undefined,
    finished: row.finished ?? undefined,
    last:
      at === null
        ? undefined
        : {
            at,
            ms: ms ?? 0,
            ...(row.last_status !== null && { status: row.last_status }),
            ...(row.last_answer !== null && { answer: row.last_answer }),
            ...(row.last_problem !== null && { problem: row.last_problem }),
          },
  }
}

/**
 * Locks the row until the transaction ends. Whatever changes deliveries of a webhook does this first. `skip`: undefined if
 * another transaction has locked it.
 */
export async function lockWebhook(
  transaction: Kysely<Tables>,
  { projectId, webhookId }: WebhookKey,
  lock: boolean | 'skip',
): Promise<WebhookRow | undefined> {
  const find = transaction
    .selectFrom('webhooks')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('webhook_id', '=', webhookId)
  if (!lock) return await find.executeTakeFirst()
  const locked = find.forUpdate()
  return await (lock === 'skip' ? locked.skipLocked() : locked).executeTakeFirst()
}

/** With the number of their pending deliveries, counted up to `MOST_PENDING`: no request waits for a long count. */
export async function countPending(
  db: Kysely<Tables>,
  rows: readonly WebhookRow[],
): Promise<ListedWebhook[]> {
  const listed: ListedWebhook[] = []
  for (const row of rows) {
    const some = sql`select 1 from deliveries where webhook_id = ${row.webhook_id} and finished is null limit ${MOST_PENDING}`
    const counted = await sql<{
      pending: number
    }>`select count(*) as pending from (${some}) as counted`.execute(db)
    listed.push({ ...toWebhook(row), pending: Number(counted.rows[0]?.pending ?? 0) })
  }
  return listed
}
