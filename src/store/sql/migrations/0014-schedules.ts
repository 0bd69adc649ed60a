import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'

/** Recurring schedules. */
export async function up(db: Kysely<unknown>, { id }: Engine): Promise<void> {
  await db.schema
    .createTable('schedules')
    .addColumn('project_id', id, (column) =>
      column.notNull().references('projects.project_id').onDelete('cascade'),
    )
    .addColumn('schedule_id', id, (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('template_id', id)
    .addColumn('request', 'text')
    .addColumn('sealed', 'text')
    .addColumn('cron', 'text')
    .addColumn('timezone', 'text')
    .addColumn('every', 'text')
    .addColumn('overlap', 'text', (column) => column.notNull())
    .addColumn('paused', 'integer', (column) => column.notNull())
    .addColumn('next', 'bigint')
    .addColumn('due', 'bigint')
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('changed', 'bigint', (column) => column.notNull())
    .addColumn('revision', 'text', (column) => column.notNull())
    .addColumn('last_root', id)
    .addColumn('runs', 'bigint', (column) => column.notNull())
    .addColumn('late', 'bigint', (column) => column.notNull())
    .addColumn('skipped', 'bigint', (column) => column.notNull())
    .addColumn('last_skipped', 'bigint')
    .addColumn('problem', 'text')
    .addColumn('problem_at', 'bigint')
    .addPrimaryKeyConstraint('schedules_pk', ['project_id', 'schedule_id'])
    .execute()
  await db.schema
    .createIndex('schedules_oldest_first')
    .on('schedules')
    .columns(['project_id', 'created', 'schedule_id'])
    .execute()
  await db.schema
    .createIndex('schedules_due')
    .on('schedules')
    .columns(['due'])
    .where(sql.ref('due'), 'is not', null)
    .execute()
}
