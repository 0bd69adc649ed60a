import { type Kysely, sql } from 'kysely'
import { defined } from '../../../contract/defined.ts'
import { MOST_PENDING } from '../../../contract/states.ts'
import type { ListedWebhook, StoredDelivery, StoredWebhook, WebhookKey } from '../../webhooks.ts'
import { type Transaction, update } from '../database.ts'
import { fromRow, type Tables } from '../tables.ts'

export type WebhookRow = Tables['webhooks']
export type DeliveryRow = Tables['deliveries']

export function toWebhook(row: WebhookRow): StoredWebhook {
  const { projectId, webhookId, name, url, format, created, changed, revision, ...more } = fromRow(row)
  const { events, paused, secrets, failingSince, offSince: since, offReason: reason, offDetail } = more
  return {
    ...{ projectId, webhookId, name, url, format, created, changed, revision, failingSince },
    ...{ events: JSON.parse(events), paused: paused !== 0, secrets: JSON.parse(secrets) },
    off: since === undefined || !reason ? undefined : { since, reason, detail: offDetail ?? '' },
  }
}

export function toDelivery(row: DeliveryRow): StoredDelivery {
  const { deliveryId, event, rootId, position, state, created, attempts, finished, ...more } = fromRow(row)
  const { due, lease, lastAt: at, lastMs: ms = 0 } = more
  const { lastStatus: status, lastAnswer: answer, lastProblem: problem } = more
  return {
    ...{ deliveryId, event, rootId, position, state, created, attempts, finished },
    due: lease === undefined ? due : undefined,
    last: at === undefined ? undefined : defined({ at, ms, status, answer, problem }),
  }
}

/**
 * Locks the row until the transaction ends. Whatever changes deliveries of a webhook does this first. `skip`: undefined if
 * another transaction has locked it.
 */
export async function lockWebhook(
  transaction: Transaction,
  { projectId, webhookId }: WebhookKey,
  { skip = false } = {},
): Promise<WebhookRow | undefined> {
  const locked = transaction
    .selectFrom('webhooks')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('webhook_id', '=', webhookId)
    .forUpdate()
  return await (skip ? locked.skipLocked() : locked).executeTakeFirst()
}

/** With the number of their pending deliveries, counted up to `MOST_PENDING`: no request waits for a long count. */
export async function countPending(
  db: Kysely<Tables>,
  rows: readonly WebhookRow[],
): Promise<ListedWebhook[]> {
  const listed: ListedWebhook[] = []
  for (const row of rows) {
    const some = sql`select 1 from deliveries where webhook_id = ${row.webhook_id} and finished is null limit ${MOST_PENDING}`
    const count = sql<{ pending: number }>`select count(*) as pending from (${some}) as counted`
    const [{ pending } = { pending: 0 }] = (await count.execute(db)).rows
    listed.push({ ...toWebhook(row), pending })
  }
  return listed
}

// The order of deliveries. Of one webhook and one root, the first pending delivery without an attempt is due, and the later ones
// without an attempt wait: their `due` is null. When the first attempt of one begins, the next one becomes due. It is
// begun when nothing of its root is under way. All of this happens while the row of the webhook is locked.

/** The deliveries that are next, of those that can be begun. They may be due later. */
export async function findNext(
  transaction: Transaction,
  webhookId: string,
  limit: number,
): Promise<DeliveryRow[]> {
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
    .limit(limit)
    .execute()
}

/** Writes when the next attempt of the webhook is due. Call it after every change of its deliveries. `next`: if it is known. */
export async function noteNextDue(
  transaction: Transaction,
  { webhook_id, paused, off_since }: Pick<WebhookRow, 'webhook_id' | 'paused' | 'off_since'>,
  {
    takesTurn = false,
    next: known,
    ...more
  }: Partial<WebhookRow> & { takesTurn?: boolean; next?: DeliveryRow | undefined } = {},
): Promise<void> {
  const isOn = paused === 0 && off_since === null
  const [next] = !isOn ? [] : known ? [known] : await findNext(transaction, webhook_id, 1)
  const noted = { next_due: next?.due ?? null, ...more, ...(takesTurn && { turn: LAST_TURN }) }
  await update(transaction, 'webhooks', noted, sql`webhook_id = ${webhook_id}`)
}

/** After all others. A count, not a time: a clock that was ahead for a while must not leave a webhook behind the others. */
export const LAST_TURN = sql<number>`(select coalesce(max(turn), 0) + 1 from webhooks)`

/** Of each of these roots, the next delivery becomes due, unless an earlier one has not had an attempt. */
export async function releaseNext(
  transaction: Transaction,
  { webhookId, rootIds, now }: { webhookId: string; rootIds: readonly string[]; now: number },
): Promise<void> {
  if (rootIds.length === 0) return
  const roots = sql`select distinct root_id from deliveries where webhook_id = ${webhookId} and finished is null
    and root_id in (${sql.join(rootIds)})`
  const first = sql`select delivery_id from deliveries where webhook_id = ${webhookId} and root_id = roots.root_id
    and finished is null and attempts = 0 order by number limit 1`
  await sql`update deliveries set due = ${now}, since = ${now}
    where due is null and delivery_id in (select (${first}) from (${roots}) as roots)`.execute(transaction)
}
