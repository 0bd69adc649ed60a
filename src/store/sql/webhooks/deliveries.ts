import { sql, type Transaction } from 'kysely'
import {
  type Deliveries,
  type DeliveriesBacklog,
  type DeliveryTask,
  type DeliveryWork,
  type DueWebhook,
  type Ended,
  type EndedAttempt,
  type EndOptions,
  type FindDue,
  type FindLost,
  MOST_COUNTED,
  type TakeDeliveries,
} from '../../deliveries.ts'
import type { WebhookKey } from '../../webhooks.ts'
import type { Database } from '../database.ts'
import type { Tables } from '../tables.ts'
import { end, findDue, take } from './attempts.ts'
import { forgetSome } from './forget.ts'
import { bringBack, giveBackLost, isAhead, isLost } from './lost.ts'
import { BEHIND, findBehind, spread } from './spread.ts'

export class SqlDeliveries implements Deliveries {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async findWork({ now: given, leaseMs }: { now: number; leaseMs: number }): Promise<DeliveryWork> {
    const now = await this.#db.timeAt(given)
    const { rows } = await sql<Record<keyof DeliveryWork, number>>`select
      case when exists (select 1 ${BEHIND}) then 1 else 0 end as events,
      case when exists (select 1 from webhooks where next_due is not null and next_due <= ${now}) then 1 else 0 end as due,
      case when exists (select 1 from deliveries where ${isLost({ now, leaseMs })}) then 1 else 0 end as lost,
      case when exists (select 1 from deliveries where ${isAhead(now)}) then 1 else 0 end as ahead`.execute(
      this.#db.read,
    )
    const [found] = rows
    return {
      events: found?.events === 1,
      due: found?.due === 1,
      lost: found?.lost === 1,
      ahead: found?.ahead === 1,
    }
  }

  async findBehind(options: { after?: string | undefined; limit: number }): Promise<WebhookKey[]> {
    return await findBehind(this.#db.read, options)
  }

  async spread(key: WebhookKey, { now, limit }: { now: number; limit: number }): Promise<number> {
    const options = { now: await this.#db.timeAt(now), limit, lock: this.#db.lock }
    return await this.#db.transaction((transaction) => spread(transaction, key, options))
  }

  async findDue(options: FindDue): Promise<DueWebhook[]> {
    return await findDue(this.#db.read, { ...options, now: await this.#db.timeAt(options.now) })
  }

  async take(key: WebhookKey, options: TakeDeliveries): Promise<DeliveryTask[]> {
    const corrected = { ...options, now: await this.#db.timeAt(options.now), lock: this.#db.lock }
    return await this.#db.transaction((transaction) => take(transaction, key, corrected))
  }

  async end(ends: readonly EndedAttempt[], { now, offIf }: EndOptions): Promise<Ended[]> {
    const options = { now: await this.#db.timeAt(now), offIf, lock: this.#db.lock }
    const byWebhook = Map.groupBy(ends, ({ attempt }) => attempt.webhookId)
    return await this.#db.transaction(async (transaction) => {
      const results = new Map<EndedAttempt, Ended>()
      // In the order of their ids, so that two processes cannot block each other.
      for (const webhookId of [...byWebhook.keys()].toSorted()) {
        const some = byWebhook.get(webhookId) ?? []
        const key = { projectId: some[0]?.attempt.projectId ?? '', webhookId }
        const ended = await end(transaction, key, some, options)
        for (const [index, one] of some.entries()) results.set(one, ended[index] ?? false)
      }
      return ends.map((one) => results.get(one) ?? false)
    })
  }

  async giveBackLost(options: FindLost): Promise<number> {
    const corrected = { ...options, now: await this.#db.timeAt(options.now), lock: this.#db.lock }
    return await this.#untilNone((transaction) => giveBackLost(transaction, corrected))
  }

  async bringBack(now: number): Promise<number> {
    const options = { now: await this.#db.timeAt(now), lock: this.#db.lock }
    return await this.#untilNone((transaction) => bringBack(transaction, options))
  }

  async dropPending({ now, limit }: { now: number; limit: number }): Promise<number> {
    const some = sql`select delivery_id from deliveries
      join webhooks on webhooks.webhook_id = deliveries.webhook_id
      where webhooks.off_since is not null and deliveries.finished is null limit ${limit}`
    const finished = await this.#db.timeAt(now)
    const { numAffectedRows = 0n } = await this.#db.transaction((transaction) =>
      sql`update deliveries set state = 'dropped', finished = ${finished}, due = null, attempt = null, lease = null
        where delivery_id in (${some})`.execute(transaction),
    )
    return Number(numAffectedRows)
  }

  async findBacklog(): Promise<DeliveriesBacklog> {
    const { rows } = await sql<{ pending: number; oldest: number | null; off_count: number }>`select
      (select count(*) from (select 1 from deliveries where finished is null limit ${MOST_COUNTED}) as counted) as pending,
      (select min(created) from deliveries where finished is null) as oldest,
      (select count(*) from webhooks where off_since is not null) as off_count`.execute(this.#db.read)
    const [found] = rows
    return {
      pending: Number(found?.pending ?? 0),
      oldest: found?.oldest == null ? undefined : Number(found.oldest),
      off: Number(found?.off_count ?? 0),
    }
  }

  async forget(limits: { before: number; most: number; limit: number }): Promise<number> {
    return await forgetSome(this.#db, limits)
  }

  async #untilNone(step: (transaction: Transaction<Tables>) => Promise<number>): Promise<number> {
    let count = 0
    for (;;) {
      const some = await this.#db.transaction(step)
      if (some === 0) return count
      count += some
    }
  }
}
