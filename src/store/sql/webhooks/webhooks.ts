import { setImmediate as nextIteration } from 'node:timers/promises'
import type { Kysely, Transaction, Updateable } from 'kysely'
import type { DeliveryState } from '../../../contract/webhooks.ts'
import { AppError } from '../../../errors.ts'
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
import type { Tables } from '../tables.ts'
import { unknownProject } from '../projects/projects.ts'
import { newRevision } from '../revision.ts'
import type { WriteConnections } from '../writes.ts'
import { removeSome } from './forget.ts'
import { LAST_TURN, noteNextDue } from './order.ts'
import { addTest, findMissed, goBack, type Missed, replay, replaySome } from './replay.ts'
import { countPending, lockWebhook, toDelivery, type WebhookRow } from './rows.ts'

/** Deliveries that one transaction changes or removes, and events that are looked at together: less than 20 ms each. */
const AT_ONCE = 50

export class SqlWebhooks implements Webhooks {
  readonly #read: Kysely<Tables>
  readonly #write: Kysely<Tables>
  /** Whether rows must be locked. */
  readonly #lock: boolean
  readonly #skew: () => Promise<number>

  constructor({ read, write, severalWriters, clockSkew }: WriteConnections) {
    this.#read = read
    this.#write = write
    this.#lock = severalWriters
    this.#skew = clockSkew
  }

  async create(webhook: NewWebhook, { most }: { most: number }): Promise<ListedWebhook> {
    const { projectId, webhookId, secrets } = webhook
    const now = webhook.created + (await this.#skew())
    const row = await this.#transaction(async (transaction) => {
      // Locked, so that two at the same time do not exceed the limit.
      const { last_event: after } = await this.#lockProject(transaction, projectId)
      const before = await transaction
        .selectFrom('webhooks')
        .select('webhook_id')
        .where('project_id', '=', projectId)
        .execute()
      if (before.length >= most)
        throw new AppError(
          'conflict',
          `a project may have at most ${most} webhooks (MAX_WEBHOOKS): remove one first`,
        )
      return await transaction
        .insertInto('webhooks')
        .values({
          ...{ webhook_id: webhookId, project_id: projectId, ...toColumns(webhook) },
          ...{ secrets: JSON.stringify(secrets), created: now, changed: now, revision: newRevision() },
          ...{ after, turn: LAST_TURN, failing_ms: 0 },
        })
        .returningAll()
        .executeTakeFirstOrThrow()
    })
    return await this.#listed(row)
  }

  async find({ projectId, webhookId }: WebhookKey): Promise<ListedWebhook | undefined> {
    const row = await this.#read
      .selectFrom('webhooks')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('webhook_id', '=', webhookId)
      .executeTakeFirst()
    return row && (await this.#listed(row))
  }

  async list(projectId: string, { after, limit }: Parameters<Webhooks['list']>[1]): Promise<ListedWebhook[]> {
    let query = this.#read
      .selectFrom('webhooks')
      .selectAll()
      .where('project_id', '=', projectId)
      .orderBy('created')
      .orderBy('webhook_id')
      .limit(limit)
    if (after)
      query = query.where((eb) =>
        eb.or([
          eb('created', '>', after.created),
          eb.and([eb('created', '=', after.created), eb('webhook_id', '>', after.id)]),
        ]),
      )
    return await countPending(this.#read, await query.execute())
  }

  async change(
    key: WebhookKey,
    settings: WebhookSettings,
    { now, revision }: { now: number; revision?: string | undefined },
  ): Promise<ListedWebhook | undefined> {
    return await this.#change(key, { now, revision }, async (row, transaction) => {
      const wasOn = row.paused === 0 && row.off_since === null
      const { last_event } = await transaction
        .selectFrom('projects')
        .select('last_event')
        .where('project_id', '=', key.projectId)
        .executeTakeFirstOrThrow()
      return {
        ...toColumns(settings),
        ...(!wasOn && { after: last_event }),
        ...(row.off_since !== null && { failing_since: null, failing_ms: 0, last_failed: null }),
        ...{ off_since: null, off_reason: null, off_detail: null },
      }
    })
  }

  async changeSecrets(
    key: WebhookKey,
    change: (before: readonly SealedSecret[]) => readonly SealedSecret[],
    now: number,
  ): Promise<ListedWebhook | undefined> {
    return await this.#change(key, { now }, async ({ secrets }) => ({
      secrets: JSON.stringify(change(JSON.parse(secrets))),
    }))
  }

  async remove(key: WebhookKey, { revision }: { revision?: string | undefined } = {}): Promise<boolean> {
    const isThere = await this.#transaction(async (transaction) => {
      const row = await lockWebhook(transaction, key, this.#lock)
      if (!row) return false
      requireRevision(row, revision)
      // From now on it gets no deliveries.
      const paused = { paused: 1, next_due: null }
      await transaction.updateTable('webhooks').set(paused).where('webhook_id', '=', key.webhookId).execute()
      return true
    })
    if (!isThere) return false
    while ((await this.#transaction((transaction) => removeSome(transaction, key.webhookId, AT_ONCE))) > 0)
      await nextIteration()
    await this.#transaction((transaction) =>
      transaction.deleteFrom('webhooks').where('webhook_id', '=', key.webhookId).execute(),
    )
    return true
  }

  async listDeliveries(
    { projectId, webhookId }: WebhookKey,
    {
      state,
      after,
      limit,
    }: { state?: DeliveryState | undefined } & Parameters<Webhooks['listDeliveries']>[1],
  ): Promise<StoredDelivery[]> {
    let query = this.#read
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
    const options = { now: now + (await this.#skew()), lock: this.#lock }
    return await this.#transaction((transaction) => addTest(transaction, key, options))
  }

  async replay(key: WebhookKey, deliveryId: string, now: number): Promise<StoredDelivery | undefined> {
    const options = { deliveryId, now: now + (await this.#skew()), lock: this.#lock }
    return await this.#transaction((transaction) => replay(transaction, key, options))
  }

  async replayFrom(
    key: WebhookKey,
    from: number,
    { now: given, inTurn = yielding }: Parameters<Webhooks['replayFrom']>[2],
  ): Promise<number | undefined> {
    const now = given + (await this.#skew())
    // What ends while this runs is not sent a third time.
    const options = { from, ended: now, limit: AT_ONCE, now, lock: this.#lock }
    let count = 0
    for (let after: { created: number; id: string } | undefined; ; ) {
      const some = await inTurn(() =>
        this.#transaction((transaction) => replaySome(transaction, key, { ...options, after })),
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
        findMissed(this.#read, key, { from, after: after ?? 0, limit: AT_ONCE * 4 }),
      )
      first ??= looked.first
      count += looked.count
      after = looked.last
    }
    const number = first
    if (number !== undefined) await this.#transaction((transaction) => goBack(transaction, key, number))
    return count
  }

  async #change(
    key: WebhookKey,
    { now: given, revision }: { now: number; revision?: string | undefined },
    change: (row: WebhookRow, transaction: Transaction<Tables>) => Promise<Updateable<Tables['webhooks']>>,
  ): Promise<ListedWebhook | undefined> {
    const now = given + (await this.#skew())
    const changed = await this.#transaction(async (transaction) => {
      const row = await lockWebhook(transaction, key, this.#lock)
      requireRevision(row, revision)
      if (!row) return undefined
      const after = await transaction
        .updateTable('webhooks')
        .set({ ...(await change(row, transaction)), changed: now, revision: newRevision() })
        .where('webhook_id', '=', key.webhookId)
        .returningAll()
        .executeTakeFirstOrThrow()
      await noteNextDue(transaction, after)
      return after
    })
    return changed && (await this.#listed(changed))
  }

  /** Throws `not_found`. */
  async #lockProject(transaction: Transaction<Tables>, projectId: string): Promise<{ last_event: number }> {
    const find = transaction
      .selectFrom('projects')
      .select('last_event')
      .where('project_id', '=', projectId)
      .where('removed', 'is', null)
    const found = await (this.#lock ? find.forUpdate() : find).executeTakeFirst()
    if (!found) throw unknownProject(projectId)
    return found
  }

  async #listed(row: WebhookRow): Promise<ListedWebhook> {
    const [listed] = await countPending(this.#read, [row])
    return listed as ListedWebhook
  }

  async #transaction<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> {
    return await this.#write.transaction().execute(work)
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

function requireRevision(row: WebhookRow | undefined, revision: string | undefined): void {
  if (row && revision !== undefined && row.revision !== revision) throw new AppError('precondition_failed')
}
