import { sql, type Transaction } from 'kysely'
import type { Tables } from '../../tables.ts'
import type { DeliveryRow, WebhookRow } from './rows.ts'

// The order of deliveries. Of one webhook and one root, the first pending delivery without an attempt is due, and the later ones
// without an attempt wait: their `due` is null. When the first attempt of one begins, the next one becomes due. It is
// begun when nothing of its root is under way. All of this happens while the row of the webhook is locked.

/** The delivery that is next, of those that can be begun. It may be due later. */
export async function findNext(
  transaction: Transaction<Tables>,
  webhookId: string,
): Promise<DeliveryRow | undefined> {
  return await transaction
    .selectFrom('deliveries as next')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .where('finished', 'is', null)
    .where('lease', 'is', null)
    .where('due', 'is not', null)
    .where(
      sql<boolean>`not exists (select 1 from deliveries as other where other.webhook_id = next.webhook_id
        and other.root_id = next.root_id and other.lease is not null)`,
    )
    .orderBy('due')
    .orderBy('number')
    .limit(1)
    .executeTakeFirst()
}

/** Writes when the next attempt of the webhook is due. Call it after every change of its deliveries. */
export async function noteNextDue(
  transaction: Transaction<Tables>,
  { webhook_id, paused, off_since }: Pick<WebhookRow, 'webhook_id' | 'paused' | 'off_since'>,
  more: { after?: number; turn?: number; failing_since?: number | null } = {},
): Promise<void> {
  const isOn = paused === 0 && off_since === null
  const next = isOn ? await findNext(transaction, webhook_id) : undefined
  await transaction
    .updateTable('webhooks')
    .set({ next_due: next?.due ?? null, ...more })
    .where('webhook_id', '=', webhook_id)
    .execute()
}

/** Whether a pending delivery of the root, before this number, has not had an attempt. */
async function isAhead(
  transaction: Transaction<Tables>,
  { webhookId, rootId, before }: { webhookId: string; rootId: string; before: number },
): Promise<boolean> {
  const ahead = await transaction
    .selectFrom('deliveries')
    .select('number')
    .where('webhook_id', '=', webhookId)
    .where('root_id', '=', rootId)
    .where('finished', 'is', null)
    .where('number', '<', before)
    .where('attempts', '=', 0)
    .limit(1)
    .executeTakeFirst()
  return ahead !== undefined
}

/** Makes the next delivery of the root due, unless an earlier one has not had an attempt. */
export async function releaseNext(
  transaction: Transaction<Tables>,
  { webhookId, rootId, now }: { webhookId: string; rootId: string; now: number },
): Promise<void> {
  const waiting = await transaction
    .selectFrom('deliveries')
    .select(['delivery_id', 'number'])
    .where('webhook_id', '=', webhookId)
    .where('root_id', '=', rootId)
    .where('finished', 'is', null)
    .where('due', 'is', null)
    .orderBy('number')
    .limit(1)
    .executeTakeFirst()
  if (!waiting || (await isAhead(transaction, { webhookId, rootId, before: waiting.number ?? 0 }))) return
  await transaction
    .updateTable('deliveries')
    .set({ due: now })
    .where('delivery_id', '=', waiting.delivery_id)
    .execute()
}
