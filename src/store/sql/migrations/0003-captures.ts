import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'

export async function up(db: Kysely<unknown>, { id }: Engine): Promise<void> {
  await db.schema
    .createTable('requests')
    .addColumn('project_id', id, (column) => column.notNull())
    .addColumn('root_id', id, (column) => column.notNull())
    .addColumn('idempotency_key', 'text')
    .addColumn('width', 'integer', (column) => column.notNull())
    .addColumn('height', 'integer', (column) => column.notNull())
    .addColumn('full_page', 'integer', (column) => column.notNull())
    .addColumn('tags', 'text', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('requests_pk', ['project_id', 'root_id'])
    .addForeignKeyConstraint('requests_root', ['project_id', 'root_id'], 'roots', ['project_id', 'root_id'])
    .addUniqueConstraint('requests_idempotency', ['project_id', 'idempotency_key'])
    .execute()
  await db.schema
    .createTable('captures')
    .addColumn('project_id', id, (column) => column.notNull())
    .addColumn('root_id', id, (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('loading_time', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('turn', 'integer', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('attempt', id)
    .addColumn('due', 'bigint', (column) => column.notNull())
    .addColumn('lease', 'bigint')
    .addColumn('queued', 'bigint', (column) => column.notNull())
    .addColumn('started', 'bigint')
    .addColumn('finished', 'bigint')
    .addColumn('reason', 'text')
    .addColumn('detail', 'text')
    .addColumn('cut', 'integer', (column) => column.notNull())
    .addColumn('changed', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('captures_pk', ['project_id', 'root_id', 'position'])
    .addForeignKeyConstraint('captures_request', ['project_id', 'root_id'], 'requests', [
      'project_id',
      'root_id',
    ])
    .execute()
  for (const [name, columns] of [
    ['captures_next', ['turn', 'queued']],
    ['captures_of_project', ['project_id', 'turn']],
  ] as const) {
    await db.schema
      .createIndex(name)
      .on('captures')
      .columns([...columns])
      .where(sql.ref('finished'), 'is', null)
      .execute()
  }
}
