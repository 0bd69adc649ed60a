import { type Kysely, sql, type Transaction } from 'kysely'
import type {
  AttemptEnd,
  Deliveries,
  DeliveriesBacklog,
  DeliveryAttempt,
  DeliveryTask,
  DeliveryWork,
  EndOptions,
  SwitchOff,
  TakeDelivery,
} from '../../../deliveries.ts'
import type { WebhookKey } from '../../../webhooks.ts'
import type { Tables } from '../../tables.ts'
import type { WriteConnections } from '../writes.ts'
import { end, giveBackLost, takeNext } from './attempts.ts'
import { forgetSome } from './forget.ts'
import { BEHIND, findBehind, spread } from './spread.ts'

export class SqlDeliveries implements Deliveries {
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

  async findWork(given: number): Promise<DeliveryWork> {
    const now = given + (await this.#skew())
    const { rows } = await sql<Record<keyof DeliveryWork, number>>`select
      case when exists (select 1 ${BEHIND}) then 1 else 0 end as events,
      case when exists (select 1 from webhooks where next_due is not null and next_due <= ${now}) then 1 else 0 end as due,
      case when exists (select 1 from deliveries where lease is not null and lease < ${now}) then 1 else 0 end as lost`.execute(
      this.#read,
    )
    const [found] = rows
    return { events: found?.events === 1, due: found?.due === 1, lost: found?.lost === 1 }
  }

  async findBehind(limit: number): Promise<WebhookKey[]> {
    return await findBehind(this.#read, limit)
  }

  async spread(key: WebhookKey, { now, limit }: { now: number; limit: number }): Promise<number> {
    const options = { now: now + (await this.#skew()), limit, lock: this.#lock }
    return await this.#transaction((transaction) => spread(transaction, key, options))
  }

  async takeNext(options: TakeDelivery): Promise<DeliveryTask | undefined> {
    const corrected = { ...options, now: options.now + (await this.#skew()), lock: this.#lock }
    for (;;) {
      const task = await this.#transaction((transaction) => takeNext(transaction, corrected))
      if (task !== 'again') return task
    }
  }

  async end(
    attempt: DeliveryAttempt,
    how: AttemptEnd,
    { now, offIf }: EndOptions,
  ): Promise<{ switchedOff: SwitchOff | undefined } | false> {
    const skew = await this.#skew()
    const corrected = how.state === 'pending' ? { ...how, due: how.due + skew } : how
    const options = { now: now + skew, offIf, lock: this.#lock }
    return await this.#transaction((transaction) => end(transaction, attempt, corrected, options))
  }

  async giveBackLost(now: number): Promise<number> {
    const options = { now: now + (await this.#skew()), lock: this.#lock }
    let count = 0
    for (;;) {
      const some = await this.#transaction((transaction) => giveBackLost(transaction, options))
      if (some === 0) return count
      count += some
    }
  }

  async dropPending({ now, limit }: { now: number; limit: number }): Promise<number> {
    const some = sql`select delivery_id from deliveries
      join webhooks on webhooks.webhook_id = deliveries.webhook_id
      where webhooks.off_since is not null and deliveries.finished is null limit ${limit}`
    const finished = now + (await this.#skew())
    const { numAffectedRows = 0n } = await this.#transaction((transaction) =>
      sql`update deliveries set state = 'dropped', finished = ${finished}, due = null, attempt = null, lease = null
        where delivery_id in (${some})`.execute(transaction),
    )
    return Number(numAffectedRows)
  }

  async findBacklog(): Promise<DeliveriesBacklog> {
    const { rows } = await sql<{ pending: number; oldest: number | null; off_count: number }>`select
      (select count(*) from deliveries where finished is null) as pending,
      (select min(created) from deliveries where finished is null) as oldest,
      (select count(*) from webhooks where off_since is not null) as off_count`.execute(this.#read)
    const [found] = rows
    return {
      pending: Number(found?.pending ?? 0),
      oldest: found?.oldest == null ? undefined : Number(found.oldest),
      off: Number(found?.off_count ?? 0),
    }
  }

  async forget(limits: { before: number; most: number; limit: number }): Promise<number> {
    return await forgetSome({ read: this.#read, write: this.#write }, limits)
  }

  async #transaction<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> {
    return await this.#write.transaction().execute(work)
  }
}
