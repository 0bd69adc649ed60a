import type { Kysely, Transaction } from 'kysely'
import type { ListedWebhook, StoredDelivery, StoredWebhook, WebhookKey } from '../../../webhooks.ts'
import type { Tables } from '../../tables.ts'

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

/** Locks the row until the transaction ends. Whatever changes deliveries of a webhook does this first. */
export async function lockWebhook(
  transaction: Transaction<Tables>,
  { projectId, webhookId }: WebhookKey,
  lock: boolean,
): Promise<WebhookRow | undefined> {
  const find = transaction
    .selectFrom('webhooks')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('webhook_id', '=', webhookId)
  return await (lock ? find.forUpdate() : find).executeTakeFirst()
}

/** With the number of their pending deliveries. */
export async function countPending(
  db: Kysely<Tables>,
  rows: readonly WebhookRow[],
): Promise<ListedWebhook[]> {
  if (rows.length === 0) return []
  const counts = await db
    .selectFrom('deliveries')
    .select(({ fn }) => ['webhook_id', fn.countAll<number>().as('pending')])
    .where(
      'webhook_id',
      'in',
      rows.map((row) => row.webhook_id),
    )
    .where('finished', 'is', null)
    .groupBy('webhook_id')
    .execute()
  const known = new Map(counts.map(({ webhook_id, pending }) => [webhook_id, Number(pending)]))
  return rows.map((row) => ({ ...toWebhook(row), pending: known.get(row.webhook_id) ?? 0 }))
}
