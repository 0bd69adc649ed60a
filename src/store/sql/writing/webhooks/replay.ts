import { sql, type Transaction } from 'kysely'
import { TEST_EVENT } from '../../../../contract/webhooks.ts'
import { AppError } from '../../../../errors.ts'
import type { StoredDelivery, WebhookKey } from '../../../webhooks.ts'
import type { Tables } from '../../tables.ts'
import { noteNextDue, releaseNext } from './order.ts'
import { type DeliveryRow, lockWebhook, toDelivery, type WebhookRow } from './rows.ts'
import { newDeliveryId } from './spread.ts'

interface Options {
  readonly now: number
  readonly lock: boolean
}

/** As if it had never been tried. What came of the last attempt stays visible until the next. */
const AGAIN = {
  state: 'pending',
  attempts: 0,
  due: null,
  attempt: null,
  lease: null,
  finished: null,
} as const

export async function addTest(
  transaction: Transaction<Tables>,
  key: WebhookKey,
  { now, lock }: Options,
): Promise<StoredDelivery | undefined> {
  const webhook = await lockWebhook(transaction, key, lock)
  if (!webhook) return undefined
  requireOn(webhook)
  const row = await transaction
    .insertInto('deliveries')
    .values({
      delivery_id: newDeliveryId(now),
      project_id: key.projectId,
      webhook_id: key.webhookId,
      event: TEST_EVENT,
      created: now,
      state: 'pending',
      attempts: 0,
      due: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await noteNextDue(transaction, webhook)
  return toDelivery(row)
}

/** One that is under way is left as it is. */
export async function replay(
  transaction: Transaction<Tables>,
  key: WebhookKey,
  { deliveryId, now, lock }: Options & { deliveryId: string },
): Promise<StoredDelivery | undefined> {
  const webhook = await lockWebhook(transaction, key, lock)
  if (!webhook) return undefined
  const find = transaction
    .selectFrom('deliveries')
    .selectAll()
    .where('webhook_id', '=', key.webhookId)
    .where('delivery_id', '=', deliveryId)
  const before = await find.executeTakeFirst()
  if (!before) return undefined
  requireOn(webhook)
  if (before.lease === null) {
    await transaction
      .updateTable('deliveries')
      .set({ ...AGAIN, due: now })
      .where('delivery_id', '=', deliveryId)
      .execute()
    await noteNextDue(transaction, webhook)
  }
  return toDelivery(await find.executeTakeFirstOrThrow())
}

/** Some of those that have ended. Each root gets its order again. Returns how many. */
export async function replaySome(
  transaction: Transaction<Tables>,
  key: WebhookKey,
  { from, ended, limit, now, lock }: Options & { from: number; ended: number; limit: number },
): Promise<number | undefined> {
  const webhook = await lockWebhook(transaction, key, lock)
  if (!webhook) return undefined
  requireOn(webhook)
  const rows: DeliveryRow[] = await transaction
    .selectFrom('deliveries')
    .selectAll()
    .where('webhook_id', '=', key.webhookId)
    .where('created', '>=', from)
    .where('finished', '<=', ended)
    .orderBy('created')
    .orderBy('delivery_id')
    .limit(limit)
    .execute()
  if (rows.length === 0) return 0
  const ids = rows.map(({ delivery_id }) => delivery_id)
  await transaction.updateTable('deliveries').set(AGAIN).where('delivery_id', 'in', ids).execute()
  await transaction
    .updateTable('deliveries')
    .set({ due: now })
    .where('delivery_id', 'in', ids)
    .where('root_id', 'is', null)
    .execute()
  for (const rootId of new Set(rows.map(({ root_id }) => root_id)))
    if (rootId !== null) await releaseNext(transaction, { webhookId: key.webhookId, rootId, now })
  await noteNextDue(transaction, webhook)
  return rows.length
}

/** The webhook looks at the events since then again. Those that became deliveries before are skipped. */
export async function goBack(
  transaction: Transaction<Tables>,
  key: WebhookKey,
  { from, lock }: { from: number; lock: boolean },
): Promise<number> {
  const webhook = await lockWebhook(transaction, key, lock)
  if (!webhook) return 0
  const { rows } = await sql<{ first: number | null; missing: number }>`
    select min(number) as first, count(*) as missing from events
    where project_id = ${key.projectId} and number <= ${webhook.after} and created >= ${from}
      and not exists (select 1 from deliveries
        where deliveries.webhook_id = ${key.webhookId} and deliveries.number = events.number)
      and ${isWanted(webhook)}`.execute(transaction)
  const [{ first, missing } = { first: null, missing: 0 }] = rows
  if (first === null) return 0
  await transaction
    .updateTable('webhooks')
    .set({ after: Number(first) - 1 })
    .where('webhook_id', '=', key.webhookId)
    .execute()
  return Number(missing)
}

const KINDS = {
  'screenshot.done': 'page.done',
  'screenshot.failed': 'page.failed',
  'root.finished': 'root.finished',
}

function isWanted({ events }: WebhookRow) {
  const kinds = (JSON.parse(events) as (keyof typeof KINDS)[]).map((event) => KINDS[event])
  return sql<boolean>`kind in (${sql.join(kinds)})`
}

function requireOn({ paused, off_since }: WebhookRow): void {
  if (paused !== 0) throw new AppError('conflict', 'the webhook is paused: change it first')
  if (off_since !== null)
    throw new AppError('conflict', 'the webhook is switched off: change it first, which switches it on again')
}
