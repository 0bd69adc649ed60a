import { randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { EVENTS, WEBHOOK_EVENTS, type WebhookEvent } from '../../../contract/webhook-names.ts'
import type { EventKind } from '../../captures.ts'
import type { WebhookKey } from '../../webhooks.ts'
import type { Database } from '../database.ts'
import type { Tables } from '../tables.ts'
import { lockWebhook, noteNextDue, releaseNext, toWebhook } from './rows.ts'

/** The event of a webhook, by the kind of event that it comes from. */
export const EVENT_OF = Object.fromEntries(
  WEBHOOK_EVENTS.map((event) => [EVENTS[event].kind, event]),
) as Readonly<Record<EventKind, WebhookEvent>>

/** On, of a project that is shown, and some events of the project come after the last that was looked at. */
export const BEHIND = sql`from webhooks join projects on projects.project_id = webhooks.project_id
  where webhooks.paused = 0 and webhooks.off_since is null and projects.removed is null
    and projects.last_event > webhooks.after`

export function createSpreading(db: Database) {
  return {
    /** Webhooks that have not taken all events of their project, by id, after `after`. */
    async findBehind({ after, limit }: { after?: string | undefined; limit: number }): Promise<WebhookKey[]> {
      const further = after === undefined ? sql`` : sql`and webhooks.webhook_id > ${after}`
      const { rows } = await sql<WebhookKey>`
        select webhooks.project_id as "projectId", webhooks.webhook_id as "webhookId" ${BEHIND} ${further}
        order by webhooks.webhook_id limit ${limit}`.execute(db.read)
      return rows
    },

    /**
     * Makes some events into deliveries. The number of the last event moves forward in the same transaction. Returns how many events it
     * looked at.
     */
    async spread(key: WebhookKey, { now: at, limit }: { now: number; limit: number }): Promise<number> {
      const now = await db.timeAt(at)
      return await db.transaction(async (transaction) => {
        const row = await lockWebhook(transaction, key)
        if (row?.paused !== 0 || row.off_since !== null) return 0
        const project = await transaction
          .selectFrom('projects')
          .select('last_event')
          .where('project_id', '=', key.projectId)
          .where('removed', 'is', null)
          .executeTakeFirst()
        if (!project || project.last_event <= row.after) return 0
        const events = await transaction
          .selectFrom('events')
          .selectAll()
          .where('project_id', '=', key.projectId)
          .where('number', '>', row.after)
          .orderBy('number')
          .limit(limit)
          .execute()
        const read = events.at(-1)?.number ?? row.after
        // Those that are missing were removed with their root.
        const last = events.length < limit ? Math.max(project.last_event, read) : read
        const known = await findKnown(transaction, key.webhookId, { after: row.after, last })
        const wanted = toWebhook(row).events
        const fresh = events.filter(
          ({ kind, number }) => wanted.includes(EVENT_OF[kind]) && !known.has(number),
        )
        if (fresh.length > 0) {
          const rows = fresh.map(({ kind, ...event }, index) => ({
            ...{ ...event, delivery_id: newDeliveryId(now, index), webhook_id: key.webhookId },
            ...{ event: EVENT_OF[kind], state: 'pending' as const, attempts: 0, due: null },
          }))
          await transaction.insertInto('deliveries').values(rows).execute()
          const rootIds = [...new Set(fresh.map((event) => event.root_id))]
          await releaseNext(transaction, { webhookId: key.webhookId, rootIds, now })
        }
        await noteNextDue(transaction, row, { after: last })
        return events.length
      })
    },
  }
}

/** Events that became deliveries before: somebody wants all since a time again. */
export async function findKnown(
  db: Kysely<Tables>,
  webhookId: string,
  { after, last }: { after: number; last: number },
): Promise<Set<number | null>> {
  const rows = await db
    .selectFrom('deliveries')
    .select('number')
    .where('webhook_id', '=', webhookId)
    .where('number', '>', after)
    .where('number', '<=', last)
    .execute()
  return new Set(rows.map(({ number }) => number))
}

/** A UUID of version 7: ids that are made later are larger. `index`: its place among those of the same millisecond. */
export function newDeliveryId(now: number, index = 0): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(now, 0, 6)
  bytes.writeUInt16BE(0x7000 | (index & 0xfff), 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  const hex = bytes.toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
