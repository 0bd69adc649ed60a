import type { Kysely } from 'kysely'
import type { Engine } from '../database.ts'

export async function up(db: Kysely<unknown>, { id }: Engine): Promise<void> {
  await db.schema
    .createTable('templates')
    .addColumn('project_id', id, (column) =>
      column.notNull().references('projects.project_id').onDelete('cascade'),
    )
    .addColumn('template_id', id, (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('sealed', 'text')
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('changed', 'bigint', (column) => column.notNull())
    .addColumn('revision', 'text', (column) => column.notNull())
    .addColumn('last_root', id)
    .addPrimaryKeyConstraint('templates_pk', ['project_id', 'template_id'])
    .execute()
  await db.schema
    .createIndex('templates_newest_first')
    .on('templates')
    .columns(['project_id', 'created desc', 'template_id'])
    .execute()
}
