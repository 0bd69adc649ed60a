import { type Kysely, sql, type Transaction } from 'kysely'
import { TEST_EVENT } from '../../../contract/webhooks.ts'
import { AppError } from '../../../errors.ts'
import type { StoredDelivery, WebhookKey } from '../../webhooks.ts'
import type { Tables } from '../tables.ts'
import { noteNextDue, releaseNext } from './order.ts'
import { lockWebhook, toDelivery, toWebhook, type WebhookRow } from './rows.ts'
import { EVENT_OF, findKnown, newDeliveryId } from './spread.ts'

interface Options {
  readonly now: number
  readonly lock: boolean
}

/** As if it had never been tried. The result of the last attempt stays visible until the next. */
const AGAIN = {
  state: 'pending',
  attempts: 0,
  due: null,
  since: null,
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
  await requireFewTests(transaction, key)
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
      since: now,
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
      .set({ ...AGAIN, due: now, since: now })
      .where('delivery_id', '=', deliveryId)
      .execute()
    await noteNextDue(transaction, webhook)
  }
  return toDelivery(await find.executeTakeFirstOrThrow())
}

/** The last delivery that was looked at, and how many are sent again. */
interface Replayed {
  readonly last: { readonly created: number; readonly id: string } | undefined
  readonly count: number
}

/** Some of those that have ended, after `after`. Each root gets its order again. Undefined if there is no such webhook. */
export async function replaySome(
  transaction: Transaction<Tables>,
  key: WebhookKey,
  {
    from,
    after,
    ended,
    limit,
    now,
    lock,
  }: Options & { from: number; after: Replayed['last']; ended: number; limit: number },
): Promise<Replayed | undefined> {
  const webhook = await lockWebhook(transaction, key, lock)
  if (!webhook) return undefined
  requireOn(webhook)
  const { created, id } = after ?? { created: from, id: FIRST_ID }
  const rows = await transaction
    .selectFrom('deliveries')
    .select(['delivery_id', 'root_id', 'created'])
    .where('webhook_id', '=', key.webhookId)
    .where(sql<boolean>`(created, delivery_id) > (${created}, ${id})`)
    .where('finished', '<=', ended)
    .orderBy('created')
    .orderBy('delivery_id')
    .limit(limit)
    .execute()
  const last = rows.at(-1)
  if (!last) return { last: undefined, count: 0 }
  const ids = rows.map(({ delivery_id }) => delivery_id)
  await transaction.updateTable('deliveries').set(AGAIN).where('delivery_id', 'in', ids).execute()
  await transaction
    .updateTable('deliveries')
    .set({ due: now, since: now })
    .where('delivery_id', 'in', ids)
    .where('root_id', 'is', null)
    .execute()
  const rootIds = [...new Set(rows.flatMap(({ root_id }) => root_id ?? []))]
  await releaseNext(transaction, { webhookId: key.webhookId, rootIds, now })
  await noteNextDue(transaction, webhook)
  return { last: { created: last.created, id: last.delivery_id }, count: rows.length }
}

/** Before all ids. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** Events that a webhook wants and has passed, but that never became a delivery. */
export interface Missed {
  /** The number of the first of them. */
  readonly first: number | undefined
  readonly count: number
  /** The number of the last event that was looked at. Undefined: there are no more. */
  readonly last: number | undefined
}

/** Looks at some events since a time, after the event `after`. */
export async function findMissed(
  db: Kysely<Tables>,
  key: WebhookKey,
  { from, after, limit }: { from: number; after: number; limit: number },
): Promise<Missed> {
  const webhook = await lockWebhook(db, key, false)
  if (!webhook) return { first: undefined, count: 0, last: undefined }
  const looked = await db
    .selectFrom('events')
    .select(['number', 'kind', 'created'])
    .where('project_id', '=', key.projectId)
    .where('number', '>', after)
    .where('number', '<=', webhook.after)
    .orderBy('number')
    .limit(limit)
    .execute()
  const last = looked.at(-1)?.number
  if (last === undefined) return { first: undefined, count: 0, last }
  const wanted = toWebhook(webhook).events
  const known = await findKnown(db, key.webhookId, { after, last })
  const missed = looked.filter(
    ({ number, kind, created }) => created >= from && wanted.includes(EVENT_OF[kind]) && !known.has(number),
  )
  return { first: missed[0]?.number, count: missed.length, last }
}

/** The webhook looks at the events from this number on again. Those that became deliveries before are skipped. */
export async function goBack(
  transaction: Transaction<Tables>,
  { webhookId }: WebhookKey,
  first: number,
): Promise<void> {
  await transaction
    .updateTable('webhooks')
    .set({ after: first - 1 })
    .where('webhook_id', '=', webhookId)
    .where('after', '>=', first)
    .execute()
}

/** So that tests of a receiver that does not answer cannot pile up. */
const MOST_TESTS = 100

async function requireFewTests(transaction: Transaction<Tables>, { webhookId }: WebhookKey): Promise<void> {
  const pending = await transaction
    .selectFrom('deliveries')
    .select('delivery_id')
    .where('webhook_id', '=', webhookId)
    .where('root_id', 'is', null)
    .where('finished', 'is', null)
    .limit(MOST_TESTS)
    .execute()
  if (pending.length >= MOST_TESTS)
    throw new AppError(
      'conflict',
      `${MOST_TESTS} tests of the webhook are pending: wait until one is delivered or given up`,
    )
}

function requireOn({ paused, off_since }: WebhookRow): void {
  if (paused !== 0) throw new AppError('conflict', 'the webhook is paused: change it first')
  if (off_since !== null)
    throw new AppError('conflict', 'the webhook is switched off: change it first, which switches it on again')
}
