import { setImmediate as nextIteration } from 'node:timers/promises'
import type { Transaction, Updateable } from 'kysely'
import type { Expected, ListPage, Room } from '../../owned.ts'
import type {
  InTurn,
  ListedWebhook,
  NewWebhook,
  SealedSecret,
  StoredDelivery,
  WebhookKey,
  WebhookSettings,
  Webhooks,
} from '../../webhooks.ts'
import type { Database } from '../database.ts'
import { OwnedRows } from '../owned-rows.ts'
import { newRevision } from '../revision.ts'
import type { Tables } from '../tables.ts'
import { removeSome } from './forget.ts'
import { LAST_TURN, noteNextDue } from './order.ts'
import { addTest, findMissed, goBack, type Missed, replay, replaySome } from './replay.ts'
import { countPending, toDelivery, type WebhookRow } from './rows.ts'

const NOT_FAILING = { failing_since: null, failing_ms: 0, last_failed: null }
const NOT_OFF = { off_since: null, off_reason: null, off_detail: null }
/** Deliveries that one transaction changes or removes, and events that are looked at together: less than 20 ms each. */
const AT_ONCE = 50

export class SqlWebhooks implements Webhooks {
  readonly #db: Database
  readonly #rows: OwnedRows<'webhooks'>

  constructor(db: Database) {
    this.#db = db
    this.#rows = new OwnedRows(db, 'webhooks')
  }

  async create(webhook: NewWebhook, room: Room = {}): Promise<ListedWebhook> {
    const { projectId, webhookId, secrets } = webhook
    const now = await this.#db.timeAt(webhook.created)
    await this.#rows.insert(projectId, room, ({ last_event }) => ({
      ...{ webhook_id: webhookId, project_id: projectId, ...toColumns(webhook) },
      ...{ secrets: JSON.stringify(secrets), created: now, changed: now, revision: newRevision() },
      ...{ after: last_event, turn: LAST_TURN, failing_ms: 0 },
    }))
    return (await this.find(webhook)) as ListedWebhook
  }

  async find(key: WebhookKey): Promise<ListedWebhook | undefined> {
    const row = await this.#rows.find(ownedKey(key))
    return row && (await this.#listed(row))
  }

  async page(projectId: string, { after, limit }: ListPage): Promise<ListedWebhook[]> {
    const rows = await this.#rows.sorted(projectId, { after }).selectAll().limit(limit).execute()
    return await countPending(this.#db.read, rows)
  }

  async change(
    key: WebhookKey,
    settings: WebhookSettings,
    options: Expected & { readonly now: number },
  ): Promise<ListedWebhook> {
    return await this.#change(key, options, async (row, transaction) => {
      const wasOn = row.paused === 0 && row.off_since === null
      const { last_event } = await transaction
        .selectFrom('projects')
        .select('last_event')
        .where('project_id', '=', key.projectId)
        .executeTakeFirstOrThrow()
      return {
        ...toColumns(settings),
        ...(!wasOn && { after: last_event }),
        ...(row.off_since !== null && NOT_FAILING),
        ...NOT_OFF,
      }
    })
  }

  async changeSecrets(
    key: WebhookKey,
    change: (before: readonly SealedSecret[]) => readonly SealedSecret[],
    now: number,
  ): Promise<ListedWebhook> {
    return await this.#change(key, { now }, async ({ secrets }) => ({
      secrets: JSON.stringify(change(JSON.parse(secrets))),
    }))
  }

  async remove(key: WebhookKey, expected: Expected = {}): Promise<void> {
    const { webhookId } = key
    await this.#rows.locked(ownedKey(key), expected, async (transaction) => {
      // From now on it gets no deliveries.
      const paused = { paused: 1, next_due: null }
      await transaction.updateTable('webhooks').set(paused).where('webhook_id', '=', webhookId).execute()
    })
    while ((await this.#db.transaction((one) => removeSome(one, webhookId, AT_ONCE))) > 0)
      await nextIteration()
    await this.#db.transaction((transaction) => this.#rows.remove(transaction, ownedKey(key)))
  }

  async listDeliveries(
    { projectId, webhookId }: WebhookKey,
    { state, after, limit }: Parameters<Webhooks['listDeliveries']>[1],
  ): Promise<StoredDelivery[]> {
    let query = this.#db.read
      .selectFrom('deliveries')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('webhook_id', '=', webhookId)
      .orderBy('created', 'desc')
      .orderBy('delivery_id', 'desc')
      .limit(limit)
    if (state) query = query.where('state', '=', state)
    if (after)
      query = query.where((eb) =>
        eb.or([
          eb('created', '<', after.created),
          eb.and([eb('created', '=', after.created), eb('delivery_id', '<', after.id)]),
        ]),
      )
    return (await query.execute()).map(toDelivery)
  }

  async addTest(key: WebhookKey, now: number): Promise<StoredDelivery | undefined> {
    const options = { now: await this.#db.timeAt(now), lock: this.#db.lock }
    return await this.#db.transaction((transaction) => addTest(transaction, key, options))
  }

  async replay(key: WebhookKey, deliveryId: string, now: number): Promise<StoredDelivery | undefined> {
    const options = { deliveryId, now: await this.#db.timeAt(now), lock: this.#db.lock }
    return await this.#db.transaction((transaction) => replay(transaction, key, options))
  }

  async replayFrom(
    key: WebhookKey,
    from: number,
    { now: given, inTurn = yielding }: Parameters<Webhooks['replayFrom']>[2],
  ): Promise<number | undefined> {
    const now = await this.#db.timeAt(given)
    // Deliveries that end while this runs are not sent a third time.
    const options = { from, ended: now, limit: AT_ONCE, now, lock: this.#db.lock }
    let count = 0
    for (let after: { created: number; id: string } | undefined; ; ) {
      const some = await inTurn(() =>
        this.#db.transaction((transaction) => replaySome(transaction, key, { ...options, after })),
      )
      if (some === undefined) return undefined
      count += some.count
      after = some.last
      if (!after) break
    }
    return count + (await this.#goBack(key, from, inTurn))
  }

  async #goBack(key: WebhookKey, from: number, inTurn: InTurn): Promise<number> {
    let [count, first]: [number, number | undefined] = [0, undefined]
    for (let after: number | undefined = 0; after !== undefined; ) {
      const looked: Missed = await inTurn(() =>
        findMissed(this.#db.read, key, { from, after: after ?? 0, limit: AT_ONCE * 4 }),
      )
      first ??= looked.first
      count += looked.count
      after = looked.last
    }
    const number = first
    if (number !== undefined) await this.#db.transaction((transaction) => goBack(transaction, key, number))
    return count
  }

  async #change(
    key: WebhookKey,
    { now, revision }: Expected & { readonly now: number },
    change: (row: WebhookRow, transaction: Transaction<Tables>) => Promise<Updateable<Tables['webhooks']>>,
  ): Promise<ListedWebhook> {
    const changed = await this.#db.timeAt(now)
    const row = await this.#rows.locked(ownedKey(key), { revision }, async (transaction) => {
      const before = await transaction
        .selectFrom('webhooks')
        .selectAll()
        .where('webhook_id', '=', key.webhookId)
        .executeTakeFirstOrThrow()
      const after = await transaction
        .updateTable('webhooks')
        .set({ ...(await change(before, transaction)), changed, revision: newRevision() })
        .where('webhook_id', '=', key.webhookId)
        .returningAll()
        .executeTakeFirstOrThrow()
      await noteNextDue(transaction, after)
      return after
    })
    return await this.#listed(row)
  }

  async #listed(row: WebhookRow): Promise<ListedWebhook> {
    const [listed] = await countPending(this.#db.read, [row])
    return listed as ListedWebhook
  }
}

/** SQLite works in this thread: others come in between. */
const yielding: InTurn = async (piece) => {
  await nextIteration()
  return await piece()
}

function toColumns({ name, url, events, format, paused }: WebhookSettings) {
  return { name, url, events: JSON.stringify(events), format, paused: paused ? 1 : 0 }
}

function ownedKey({ projectId, webhookId }: WebhookKey) {
  return { projectId, id: webhookId }
}
