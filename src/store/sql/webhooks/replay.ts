import { setImmediate as nextIteration } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { TEST_EVENT } from '../../../contract/webhooks.ts'
import { AppError } from '../../../errors.ts'
import type { Position } from '../../owned.ts'
import type { InTurn, StoredDelivery, WebhookKey } from '../../webhooks.ts'
import { countRows, type Database, type Transaction, update } from '../database.ts'
import type { Tables } from '../tables.ts'
import { lockWebhook, noteNextDue, releaseNext, toDelivery, toWebhook, type WebhookRow } from './rows.ts'
import { EVENT_OF, findKnown, newDeliveryId } from './spread.ts'

/** Deliveries that one transaction changes: less than 20 ms. */
const AT_ONCE = 50
const EVENTS_AT_ONCE = 4 * AT_ONCE
/** So that tests of a receiver that does not answer cannot pile up. */
const MOST_TESTS = 100
/** Before all ids. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000'
/** As if it had never been tried. The result of the last attempt stays visible until the next. */
const AGAIN = {
  ...({ state: 'pending', attempts: 0, due: null, since: null } as const),
  ...{ attempt: null, lease: null, finished: null },
}

/** SQLite works in this thread: others come in between. */
const yielding: InTurn = async (piece) => {
  await nextIteration()
  return await piece()
}

/** All of it throws `conflict` if the webhook is paused or off. */
export function createReplays(db: Database) {
  return {
    /** A test delivery. Undefined if there is no such webhook. Throws `conflict` also if it has very many pending tests. */
    async addTest(key: WebhookKey, at: number): Promise<StoredDelivery | undefined> {
      const now = await db.timeAt(at)
      return await db.transaction(async (transaction) => {
        const webhook = await lockOn(transaction, key)
        if (!webhook) return undefined
        await requireFewTests(transaction, key)
        const row = await transaction
          .insertInto('deliveries')
          .values({
            ...{ delivery_id: newDeliveryId(now), project_id: key.projectId, webhook_id: key.webhookId },
            ...{ event: TEST_EVENT, created: now, state: 'pending', attempts: 0, due: now, since: now },
          })
          .returningAll()
          .executeTakeFirstOrThrow()
        await noteNextDue(transaction, webhook)
        return toDelivery(row)
      })
    },

    /**
     * Makes a delivery pending again, as if it had never been tried. One that is pending is due at once, and one that is under way is
     * left as it is. Undefined if there is no such delivery.
     */
    async replay(key: WebhookKey, deliveryId: string, at: number): Promise<StoredDelivery | undefined> {
      const now = await db.timeAt(at)
      return await db.transaction(async (transaction) => {
        const webhook = await lockWebhook(transaction, key)
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
          const again = { ...AGAIN, due: now, since: now }
          await update(transaction, 'deliveries', again, sql`delivery_id = ${deliveryId}`)
          await noteNextDue(transaction, webhook)
        }
        return toDelivery(await find.executeTakeFirstOrThrow())
      })
    },

    /**
     * The same for all that have ended and are about something that happened at `from` or later. Events of that time that never became
     * a delivery become one. Returns how many they are. Undefined if there is no such webhook.
     */
    async replayFrom(
      key: WebhookKey,
      from: number,
      { now: at, inTurn = yielding }: { now: number; inTurn?: InTurn | undefined },
    ): Promise<number | undefined> {
      const now = await db.timeAt(at)
      let count = 0
      for (let after: Position | undefined = { created: from, id: FIRST_ID }; after; ) {
        const position: Position = after
        const some = await inTurn(() =>
          db.transaction((transaction) => replaySome(transaction, key, { after: position, now })),
        )
        if (some === undefined) return undefined
        count += some.count
        after = some.last
      }
      let first: number | undefined
      for (let after: number | undefined = 0; after !== undefined; ) {
        const number: number = after
        const missed = await inTurn(() => findMissed(db.read, key, { from, after: number }))
        first ??= missed.first
        count += missed.count
        after = missed.last
      }
      if (first !== undefined) {
        // It looks at the events from there on again. Those that became deliveries before are skipped.
        const before = { after: first - 1 }
        const isPast = sql<boolean>`webhook_id = ${key.webhookId} and webhooks.after >= ${first}`
        await db.transaction((transaction) => update(transaction, 'webhooks', before, isPast))
      }
      return count
    },
  }
}

/** Undefined if there is no such webhook. */
async function lockOn(transaction: Transaction, key: WebhookKey): Promise<WebhookRow | undefined> {
  const webhook = await lockWebhook(transaction, key)
  if (webhook) requireOn(webhook)
  return webhook
}

/**
 * Some of those that ended before `now`, after `after`: deliveries that end meanwhile are not sent a third time. Each root gets its order
 * again. Returns the position of the last and how many they are. Undefined if there is no such webhook.
 */
async function replaySome(
  transaction: Transaction,
  key: WebhookKey,
  { after, now }: { after: Position; now: number },
) {
  const webhook = await lockOn(transaction, key)
  if (!webhook) return undefined
  const rows = await transaction
    .selectFrom('deliveries')
    .select(['delivery_id', 'root_id', 'created'])
    .where('webhook_id', '=', key.webhookId)
    .where(sql<boolean>`(created, delivery_id) > (${after.created}, ${after.id})`)
    .where('finished', '<=', now)
    .orderBy('created')
    .orderBy('delivery_id')
    .limit(AT_ONCE)
    .execute()
  const last = rows.at(-1)
  if (!last) return { last: undefined, count: 0 }
  const ids = rows.map(({ delivery_id }) => delivery_id)
  const replayed = transaction.updateTable('deliveries').where('delivery_id', 'in', ids)
  await replayed.set(AGAIN).execute()
  await replayed.set({ due: now, since: now }).where('root_id', 'is', null).execute()
  const rootIds = [...new Set(rows.flatMap(({ root_id }) => root_id ?? []))]
  await releaseNext(transaction, { webhookId: key.webhookId, rootIds, now })
  await noteNextDue(transaction, webhook)
  return { last: { created: last.created, id: last.delivery_id }, count: rows.length }
}

/**
 * Looks at some events after the number `after`, for those since a time that a webhook wants and has passed, but that never became a
 * delivery. Returns the number of the first of these, and of the last event that it has looked at.
 */
async function findMissed(
  db: Kysely<Tables>,
  { projectId, webhookId }: WebhookKey,
  { from, after }: { from: number; after: number },
) {
  const webhook = await db
    .selectFrom('webhooks')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('webhook_id', '=', webhookId)
    .executeTakeFirst()
  const looked = await db
    .selectFrom('events')
    .select(['number', 'kind', 'created'])
    .where('project_id', '=', projectId)
    .where('number', '>', after)
    .where('number', '<=', webhook?.after ?? 0)
    .orderBy('number')
    .limit(EVENTS_AT_ONCE)
    .execute()
  const last = looked.at(-1)?.number
  if (!webhook || last === undefined) return { first: undefined, count: 0, last: undefined }
  const wanted = toWebhook(webhook).events
  const known = await findKnown(db, webhookId, { after, last })
  const missed = looked.filter(
    ({ number, kind, created }) => created >= from && wanted.includes(EVENT_OF[kind]) && !known.has(number),
  )
  return { first: missed[0]?.number, count: missed.length, last }
}

async function requireFewTests(transaction: Transaction, { webhookId }: WebhookKey): Promise<void> {
  const isPendingTest = sql<boolean>`webhook_id = ${webhookId} and root_id is null and finished is null`
  if ((await countRows(transaction, 'deliveries', isPendingTest)) >= MOST_TESTS)
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
