import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'

/** Webhooks, and what they are told. */
export async function up(db: Kysely<unknown>, { id }: Engine): Promise<void> {
  await db.schema
    .createTable('webhooks')
    .addColumn('webhook_id', id, (column) => column.notNull().primaryKey())
    .addColumn('project_id', id, (column) =>
      column.notNull().references('projects.project_id').onDelete('cascade'),
    )
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('events', 'text', (column) => column.notNull())
    .addColumn('format', 'text', (column) => column.notNull())
    .addColumn('paused', 'integer', (column) => column.notNull())
    .addColumn('secrets', 'text', (column) => column.notNull())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('changed', 'bigint', (column) => column.notNull())
    .addColumn('revision', 'text', (column) => column.notNull())
    .addColumn('after', 'bigint', (column) => column.notNull())
    .addColumn('turn', 'bigint', (column) => column.notNull())
    .addColumn('next_due', 'bigint')
    .addColumn('failing_since', 'bigint')
    .addColumn('off_since', 'bigint')
    .addColumn('off_reason', 'text')
    .addColumn('off_detail', 'text')
    .execute()
  await db.schema
    .createTable('deliveries')
    .addColumn('delivery_id', id, (column) => column.notNull().primaryKey())
    .addColumn('project_id', id, (column) => column.notNull())
    .addColumn('webhook_id', id, (column) =>
      column.notNull().references('webhooks.webhook_id').onDelete('cascade'),
    )
    .addColumn('number', 'bigint')
    .addColumn('event', 'text', (column) => column.notNull())
    .addColumn('root_id', id)
    .addColumn('position', 'integer')
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('due', 'bigint')
    .addColumn('attempt', id)
    .addColumn('lease', 'bigint')
    .addColumn('last_at', 'bigint')
    .addColumn('last_ms', 'integer')
    .addColumn('last_status', 'integer')
    .addColumn('last_answer', 'text')
    .addColumn('last_problem', 'text')
    .addColumn('finished', 'bigint')
    .addUniqueConstraint('deliveries_once', ['webhook_id', 'number'])
    .execute()
  for (const index of [
    sql`create index webhooks_of_project on webhooks (project_id, created, webhook_id)`,
    sql`create index webhooks_on on webhooks (project_id, after) where paused = 0 and off_since is null`,
    sql`create index webhooks_due on webhooks (next_due) where next_due is not null`,
    sql`create index deliveries_newest on deliveries (webhook_id, created, delivery_id)`,
    sql`create index deliveries_oldest on deliveries (created) where finished is null`,
    sql`create index deliveries_due on deliveries (webhook_id, due)
      where finished is null and lease is null and due is not null`,
    sql`create index deliveries_of_root on deliveries (webhook_id, root_id, number) where finished is null`,
    sql`create index deliveries_under_way on deliveries (webhook_id, root_id) where lease is not null`,
  ])
    await index.execute(db)
}
