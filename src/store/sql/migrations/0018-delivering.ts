import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'

/** What delivering needs to share its slots, to drain a backlog, and to stand a clock that jumps. */
export async function up(db: Kysely<unknown>, _engine: Engine): Promise<void> {
  await db.schema
    .alterTable('webhooks')
    .addColumn('failing_ms', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable('webhooks').addColumn('last_failed', 'bigint').execute()
  await db.schema.alterTable('deliveries').addColumn('since', 'bigint').execute()
  await db.schema
    .createTable('times')
    .addColumn('name', 'text', (column) => column.notNull().primaryKey())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .execute()
  for (const change of [
    sql`drop index deliveries_due`,
    // With the number: after a replay, thousands are due at the same time.
    sql`create index deliveries_due on deliveries (webhook_id, due, number)
      where finished is null and lease is null and due is not null`,
    sql`create index deliveries_since on deliveries (since)
      where finished is null and lease is null and since is not null`,
    sql`create index deliveries_by_state on deliveries (webhook_id, state, created, delivery_id)`,
    sql`create index webhooks_turn on webhooks (turn, webhook_id)`,
  ])
    await change.execute(db)
}
