import { type Expression, type RawBuilder, sql, type Updateable } from 'kysely'
import { MOST_COUNTED } from '../../deliveries.ts'
import { type Database, type Transaction, update } from '../database.ts'
import type { Tables } from '../tables.ts'
import { createDeliveryAttempts } from './attempts.ts'
import { lockWebhook, noteNextDue } from './rows.ts'
import { BEHIND, createSpreading } from './spread.ts'

/** Clocks of processes differ by less. */
const NEARLY_MS = 10_000
/** Deliveries that one transaction changes. */
const AT_ONCE = 500

/**
 * The work of delivering, shared by any number of processes. An event becomes one delivery of each webhook that wants it. Of
 * one webhook and one root, one attempt is under way at a time, and the first attempts are in the order of the events. Times that
 * are given are corrected to the clock of the store.
 */
export function createDeliveries(db: Database) {
  return {
    ...createSpreading(db),
    ...createDeliveryAttempts(db),

    /**
     * What is to be done, by one cheap query. `events`: some are not deliveries yet. `due`: an attempt is. `lost`: a process died with an
     * attempt under way. `ahead`: something waits for a time that a wrong clock has written.
     */
    async findWork({ now: at, leaseMs }: { now: number; leaseMs: number }) {
      const now = await db.timeAt(at)
      const { rows } = await sql<Record<'events' | 'due' | 'lost' | 'ahead', number>>`select
        case when exists (select 1 ${BEHIND}) then 1 else 0 end as events,
        case when exists (select 1 from webhooks where next_due is not null and next_due <= ${now}) then 1 else 0 end as due,
        case when exists (select 1 from deliveries where ${isLost(now, leaseMs)}) then 1 else 0 end as lost,
        case when exists (select 1 from deliveries where ${isAhead(now)}) then 1 else 0 end as ahead`.execute(
        db.read,
      )
      const [{ events, due, lost, ahead } = { events: 0, due: 0, lost: 0, ahead: 0 }] = rows
      return { events: events === 1, due: due === 1, lost: lost === 1, ahead: ahead === 1 }
    },

    /**
     * Attempts whose processes are dead, or stood still for too long, can be begun again. Returns how many. `own`: the deliveries that
     * this process sends now. They are not lost, whatever the clock says.
     */
    async giveBackLost(options: { now: number; leaseMs: number; own: ReadonlySet<string> }): Promise<number> {
      const which = isLost(await db.timeAt(options.now), options.leaseMs)
      const isOthers = ({ delivery_id }: Found) => !options.own.has(delivery_id)
      return await changeAll(db, which, { attempt: null, lease: null }, isOthers)
    },

    /** Deliveries that are `ahead`, and wait for a time from a wrong clock, are due now. Returns how many. */
    async bringBack(at: number): Promise<number> {
      const now = await db.timeAt(at)
      return await changeAll(db, isAhead(now), { due: now, since: now })
    },

    /** Drops some pending deliveries of webhooks that are off. Returns how many. */
    async dropPending({ now, limit }: { now: number; limit: number }): Promise<number> {
      const some = sql`select delivery_id from deliveries
        join webhooks on webhooks.webhook_id = deliveries.webhook_id
        where webhooks.off_since is not null and deliveries.finished is null limit ${limit}`
      const finished = await db.timeAt(now)
      const { numAffectedRows = 0n } = await db.transaction((transaction) =>
        sql`update deliveries set state = 'dropped', finished = ${finished}, due = null, attempt = null, lease = null
          where delivery_id in (${some})`.execute(transaction),
      )
      return Number(numAffectedRows)
    },

    /** At most `MOST_COUNTED` pending ones, when the oldest event happened that is not delivered, and how many webhooks are off. */
    async findBacklog() {
      const { rows } = await sql<{ pending: number; oldest: number | null; off_count: number }>`select
        (select count(*) from (select 1 from deliveries where finished is null limit ${MOST_COUNTED}) as counted) as pending,
        (select min(created) from deliveries where finished is null) as oldest,
        (select count(*) from webhooks where off_since is not null) as off_count`.execute(db.read)
      const [{ pending, oldest, off_count: off } = { pending: 0, oldest: null, off_count: 0 }] = rows
      return { pending, oldest: oldest ?? undefined, off }
    },

    /**
     * Removes some deliveries that have ended: those from before `before`, and all but the newest `most` of a webhook. Also all
     * of removed projects. Returns how many. 0: nothing is left. It looks at one webhook after the other, by the index of its deliveries.
     */
    async forget(limits: { before: number; most: number; limit: number }): Promise<number> {
      const webhooks = await db.read
        .selectFrom('webhooks')
        .innerJoin('projects', 'projects.project_id', 'webhooks.project_id')
        .select(['webhook_id', 'projects.removed'])
        .execute()
      for (const { webhook_id: webhookId, removed } of webhooks) {
        const forgotten = await db.transaction((transaction) =>
          removed === null
            ? forgetOld(transaction, webhookId, limits)
            : removeSome(transaction, webhookId, limits.limit),
        )
        if (forgotten > 0) return forgotten
      }
      return 0
    },
  }
}

/** The lease is over, or further ahead than a lease is long: then a clock was ahead when it was written. */
function isLost(now: number, leaseMs: number): RawBuilder<boolean> {
  return sql`lease is not null and (lease < ${now} or lease > ${now + leaseMs + NEARLY_MS})`
}

/** It began to wait at a time that is still to come: a clock was ahead when that was written. */
function isAhead(now: number): RawBuilder<boolean> {
  return sql`finished is null and lease is null and since is not null and since > ${now + NEARLY_MS}`
}

type Found = Pick<Tables['deliveries'], 'project_id' | 'webhook_id' | 'delivery_id' | 'attempt'>

/** Changes deliveries, some in each transaction. Returns how many. */
async function changeAll(
  db: Database,
  which: Expression<boolean>,
  set: Updateable<Tables['deliveries']>,
  isMeant: (row: Found) => boolean = () => true,
): Promise<number> {
  let count = 0
  for (;;) {
    const some = await db.transaction(async (transaction) => {
      const found = await transaction
        .selectFrom('deliveries')
        .select(['project_id', 'webhook_id', 'delivery_id', 'attempt'])
        .where(which)
        .limit(AT_ONCE)
        .execute()
      const rows = found.filter(isMeant)
      await change(transaction, rows, set)
      return rows.length
    })
    if (some === 0) return count
    count += some
  }
}

/** Webhook by webhook, in the order of their ids, so that two processes cannot block each other. */
async function change(
  transaction: Transaction,
  found: readonly Found[],
  set: Updateable<Tables['deliveries']>,
): Promise<void> {
  const byWebhook = Map.groupBy(found, ({ webhook_id }) => webhook_id)
  for (const webhookId of [...byWebhook.keys()].toSorted()) {
    const rows = byWebhook.get(webhookId) ?? []
    const webhook = await lockWebhook(transaction, { projectId: rows[0]?.project_id ?? '', webhookId })
    for (const { delivery_id, attempt } of rows) {
      const asFound = attempt === null ? sql<boolean>`attempt is null` : sql<boolean>`attempt = ${attempt}`
      const isLeft = sql<boolean>`delivery_id = ${delivery_id} and finished is null`
      await update(transaction, 'deliveries', set, isLeft, asFound)
    }
    if (webhook) await noteNextDue(transaction, webhook)
  }
}

async function forgetOld(
  transaction: Transaction,
  webhookId: string,
  { before, most, limit }: { before: number; most: number; limit: number },
): Promise<number> {
  const oldestKept = await transaction
    .selectFrom('deliveries')
    .select('created')
    .where('webhook_id', '=', webhookId)
    .orderBy('created', 'desc')
    .orderBy('delivery_id', 'desc')
    .offset(most - 1)
    .limit(1)
    .executeTakeFirst()
  const end = Math.max(before, oldestKept?.created ?? 0)
  return await remove(
    transaction,
    sql`webhook_id = ${webhookId} and created < ${end} and finished is not null order by created limit ${limit}`,
  )
}

export async function removeSome(
  transaction: Transaction,
  webhookId: string,
  limit: number,
): Promise<number> {
  return await remove(transaction, sql`webhook_id = ${webhookId} limit ${limit}`)
}

async function remove(transaction: Transaction, which: RawBuilder<unknown>): Promise<number> {
  const some = sql`select delivery_id from deliveries where ${which}`
  const deletion = sql`delete from deliveries where delivery_id in (${some})`
  return Number((await deletion.execute(transaction)).numAffectedRows ?? 0n)
}
