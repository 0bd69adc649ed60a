import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'

export async function up(db: Kysely<unknown>, { id }: Engine): Promise<void> {
  await db.schema
    .createTable('projects')
    .addColumn('project_id', id, (column) => column.notNull().primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('revision', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('roots')
    .addColumn('project_id', id, (column) => column.notNull().references('projects.project_id'))
    .addColumn('root_id', id, (column) => column.notNull())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('revision', 'text', (column) => column.notNull())
    .addColumn('job_count', 'integer', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('roots_pk', ['project_id', 'root_id'])
    .execute()
  await db.schema
    .createIndex('roots_newest_first')
    .on('roots')
    .columns(['project_id', 'created desc', 'root_id'])
    .execute()
  await db.schema
    .createTable('jobs')
    .addColumn('project_id', id, (column) => column.notNull())
    .addColumn('root_id', id, (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('uuid', id, (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('loading_time', 'integer', (column) => column.notNull())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('basepath', 'text', (column) => column.notNull())
    .addColumn('width', 'integer', (column) => column.notNull())
    .addColumn('height', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('jobs_pk', ['project_id', 'root_id', 'position'])
    .addUniqueConstraint('jobs_uuid', ['project_id', 'uuid'])
    .addForeignKeyConstraint('jobs_root', ['project_id', 'root_id'], 'roots', ['project_id', 'root_id'])
    .execute()
  await db.schema
    .createTable('keys')
    .addColumn('key_id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('project_id', id, (column) => column.notNull().references('projects.project_id'))
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('scope', 'text', (column) => column.notNull().check(sql`scope in ('read', 'write')`))
    .addColumn('label', 'text', (column) => column.notNull())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('revoked', 'bigint')
    .execute()
}
