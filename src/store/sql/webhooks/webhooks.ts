import { setImmediate as nextIteration } from 'node:timers/promises'
import { sql, type Updateable } from 'kysely'
import type { DeliveryState } from '../../../contract/states.ts'
import { need } from '../../../errors.ts'
import type { Expected, ListPage, Room } from '../../owned.ts'
import type {
  ListedWebhook,
  NewWebhook,
  SealedSecret,
  StoredDelivery,
  WebhookKey,
  WebhookSettings,
} from '../../webhooks.ts'
import { type Database, type Transaction, update } from '../database.ts'
import { OwnedRows } from '../owned-rows.ts'
import { newRevision } from '../projects/projects.ts'
import type { Tables } from '../tables.ts'
import { removeSome } from './deliveries.ts'
import { createReplays } from './replay.ts'
import { countPending, LAST_TURN, lockWebhook, noteNextDue, toDelivery, type WebhookRow } from './rows.ts'

const NOT_FAILING = { failing_since: null, failing_ms: 0, last_failed: null }
const NOT_OFF = { off_since: null, off_reason: null, off_detail: null }
/** Deliveries that one transaction removes: less than 20 ms. */
const AT_ONCE = 50

/**
 * The webhooks of projects and their deliveries. Times that are given are corrected to the clock of the store. `change` and
 * `remove` throw `not_found`, and `precondition_failed` if the revision is another one.
 */
export function createWebhooks(db: Database) {
  const webhooks = new OwnedRows(db, 'webhooks')

  const listed = async (row: WebhookRow): Promise<ListedWebhook> => {
    const [one] = await countPending(db.read, [row])
    return one as ListedWebhook
  }

  const find = async (key: WebhookKey): Promise<ListedWebhook | undefined> => {
    const row = await webhooks.find(key)
    return row && (await listed(row))
  }

  const change = async (
    key: WebhookKey,
    { now, revision }: Expected & { readonly now: number },
    makeChange: (row: WebhookRow, transaction: Transaction) => Promise<Updateable<Tables['webhooks']>>,
  ): Promise<ListedWebhook> => {
    const changed = await db.timeAt(now)
    const row = await webhooks.locked(key, { revision }, async (transaction) => {
      const before = need(await lockWebhook(transaction, key))
      const after = await transaction
        .updateTable('webhooks')
        .set({ ...(await makeChange(before, transaction)), changed, revision: newRevision() })
        .where('webhook_id', '=', key.webhookId)
        .returningAll()
        .executeTakeFirstOrThrow()
      await noteNextDue(transaction, after)
      return after
    })
    return await listed(row)
  }

  return {
    ...createReplays(db),
    find,

    /** It is notified of events from now on. Throws `not_found`; `conflict` if the project has `most` webhooks. */
    async create(webhook: NewWebhook, room: Room = {}): Promise<ListedWebhook> {
      const { projectId, webhookId, secrets } = webhook
      const now = await db.timeAt(webhook.created)
      await webhooks.insert(projectId, room, ({ last_event }) => ({
        ...{ webhook_id: webhookId, project_id: projectId, ...toColumns(webhook) },
        ...{ secrets: JSON.stringify(secrets), created: now, changed: now, revision: newRevision() },
        ...{ after: last_event, turn: LAST_TURN, failing_ms: 0 },
      }))
      return (await find(webhook)) as ListedWebhook
    },

    /** Oldest first, then by id. */
    async page(projectId: string, page: ListPage): Promise<ListedWebhook[]> {
      return await countPending(db.read, await webhooks.page(projectId, page))
    },

    /** Also switches it on again, if it was off. Events while it was paused or off are not delivered. */
    change: (
      key: WebhookKey,
      settings: WebhookSettings,
      options: Expected & { readonly now: number },
    ): Promise<ListedWebhook> =>
      change(key, options, async (row, transaction) => {
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
      }),

    /** Throws `not_found`. */
    changeSecrets: (
      key: WebhookKey,
      makeChange: (before: readonly SealedSecret[]) => readonly SealedSecret[],
      now: number,
    ): Promise<ListedWebhook> =>
      change(key, { now }, async ({ secrets }) => ({
        secrets: JSON.stringify(makeChange(JSON.parse(secrets))),
      })),

    async remove(key: WebhookKey, expected: Expected = {}): Promise<void> {
      await webhooks.locked(key, expected, (transaction) =>
        // From now on it gets no deliveries.
        update(transaction, 'webhooks', { paused: 1, next_due: null }, webhooks.of(key)),
      )
      while ((await db.transaction((transaction) => removeSome(transaction, key.webhookId, AT_ONCE))) > 0)
        await nextIteration()
      await db.transaction((transaction) =>
        transaction.deleteFrom('webhooks').where(webhooks.of(key)).execute(),
      )
    },

    /** Newest first. */
    async listDeliveries(
      key: WebhookKey,
      { state, after, limit }: ListPage & { readonly state?: DeliveryState | undefined },
    ): Promise<StoredDelivery[]> {
      let query = db.read
        .selectFrom('deliveries')
        .selectAll()
        .where(webhooks.of(key))
        .orderBy('created', 'desc')
        .orderBy('delivery_id', 'desc')
        .limit(limit)
      if (state) query = query.where('state', '=', state)
      if (after) query = query.where(sql<boolean>`(created, delivery_id) < (${after.created}, ${after.id})`)
      return (await query.execute()).map(toDelivery)
    },
  }
}

function toColumns({ name, url, events, format, paused }: WebhookSettings) {
  return { name, url, events: JSON.stringify(events), format, paused: paused ? 1 : 0 }
}
