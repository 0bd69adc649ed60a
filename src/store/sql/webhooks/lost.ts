import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { FindLost } from '../../deliveries.ts'
import type { Tables } from '../tables.ts'
import { noteNextDue } from './order.ts'
import { lockWebhook } from './rows.ts'

/** Clocks of processes differ by less. */
const NEARLY_MS = 10_000
/** Deliveries that one transaction changes. */
const AT_ONCE = 500

/** The lease is over, or further ahead than a lease is long: then a clock was ahead when it was written. */
export function isLost({ now, leaseMs }: Omit<FindLost, 'own'>): RawBuilder<boolean> {
  return sql`lease is not null and (lease < ${now} or lease > ${now + leaseMs + NEARLY_MS})`
}

/** It began to wait at a time that is still to come: a clock was ahead when that was written. */
export function isAhead(now: number): RawBuilder<boolean> {
  return sql`finished is null and lease is null and since is not null and since > ${now + NEARLY_MS}`
}

interface Found {
  readonly project_id: string
  readonly webhook_id: string
  readonly delivery_id: string
  readonly attempt: string | null
}

/** Attempts whose processes are dead, or stood still for too long, can be begun again. Those of this process are not lost. */
export async function giveBackLost(
  transaction: Transaction<Tables>,
  { now, leaseMs, own, lock }: FindLost & { lock: boolean },
): Promise<number> {
  const found = await findSome(transaction, isLost({ now, leaseMs }))
  const lost = found.filter(({ delivery_id }) => !own.has(delivery_id))
  await change(transaction, lost, { set: { attempt: null, lease: null }, lock })
  return lost.length
}

/** Deliveries that wait for a time from a wrong clock are due now. */
export async function bringBack(
  transaction: Transaction<Tables>,
  { now, lock }: { now: number; lock: boolean },
): Promise<number> {
  const ahead = await findSome(transaction, isAhead(now))
  await change(transaction, ahead, { set: { due: now, since: now }, lock })
  return ahead.length
}

async function findSome(db: Kysely<Tables>, which: RawBuilder<boolean>): Promise<Found[]> {
  return await db
    .selectFrom('deliveries')
    .select(['project_id', 'webhook_id', 'delivery_id', 'attempt'])
    .where(which)
    .limit(AT_ONCE)
    .execute()
}

/** Webhook by webhook, in the order of their ids, so that two processes cannot block each other. */
async function change(
  transaction: Transaction<Tables>,
  found: readonly Found[],
  {
    set,
    lock,
  }: { set: { [Name in 'attempt' | 'lease']?: null } & { due?: number; since?: number }; lock: boolean },
): Promise<void> {
  const byWebhook = Map.groupBy(found, ({ webhook_id }) => webhook_id)
  for (const webhookId of [...byWebhook.keys()].toSorted()) {
    const rows = byWebhook.get(webhookId) ?? []
    const webhook = await lockWebhook(transaction, { projectId: rows[0]?.project_id ?? '', webhookId }, lock)
    for (const { delivery_id, attempt } of rows)
      await transaction
        .updateTable('deliveries')
        .set(set)
        .where('delivery_id', '=', delivery_id)
        .where('attempt', attempt === null ? 'is' : '=', attempt)
        .where('finished', 'is', null)
        .execute()
    if (webhook) await noteNextDue(transaction, webhook)
  }
}
