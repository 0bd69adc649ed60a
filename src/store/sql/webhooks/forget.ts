import { sql, type Transaction } from 'kysely'
import type { Database } from '../database.ts'
import type { Tables } from '../tables.ts'

interface Limits {
  readonly before: number
  readonly most: number
  readonly limit: number
}

/** Of one webhook after the other, by the index of its deliveries. */
export async function forgetSome(db: Database, { before, most, limit }: Limits): Promise<number> {
  const webhooks = await db.read
    .selectFrom('webhooks')
    .innerJoin('projects', 'projects.project_id', 'webhooks.project_id')
    .select(['webhook_id', 'projects.removed'])
    .execute()
  for (const { webhook_id: webhookId, removed } of webhooks) {
    const forgotten = await db.transaction((transaction) =>
      removed === null
        ? forgetOld(transaction, webhookId, { before, most, limit })
        : removeSome(transaction, webhookId, limit),
    )
    if (forgotten > 0) return forgotten
  }
  return 0
}

async function forgetOld(
  transaction: Transaction<Tables>,
  webhookId: string,
  { before, most, limit }: Limits,
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
    sql`select delivery_id from deliveries where webhook_id = ${webhookId} and created < ${end}
      and finished is not null order by created limit ${limit}`,
  )
}

async function remove(transaction: Transaction<Tables>, some: ReturnType<typeof sql>): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from deliveries where delivery_id in (${some})`.execute(
    transaction,
  )
  return Number(numAffectedRows)
}

/** Deliveries of a webhook that is being removed. */
export async function removeSome(
  transaction: Transaction<Tables>,
  webhookId: string,
  limit: number,
): Promise<number> {
  return await remove(
    transaction,
    sql`select delivery_id from deliveries where webhook_id = ${webhookId} limit ${limit}`,
  )
}
