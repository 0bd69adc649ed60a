import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { AppError } from '../../errors.ts'
import type { Schema } from './schema.ts'
import { MIGRATION_TABLE, type MIGRATIONS } from './schema-version.ts'

/** What engines call differently. */
export interface Engine {
  /** The type of a UUID: 16 bytes where the engine knows such a thing. */
  readonly id: 'text' | 'uuid'
  /** What an index of jobs by their address is made of: no more of a long one than an entry may hold. */
  readonly page: string
  /** Where the tables lie, if the engine has more than one place for them. */
  readonly schema?: string
}

/** A name that once shipped keeps its meaning. */
const migrationsFor = ({ id, page }: Engine): Record<(typeof MIGRATIONS)[number], Migration> => ({
  '0001-results': {
    async up(db: Kysely<unknown>) {
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
    },
  },
  '0002-claims': {
    async up(db: Kysely<unknown>) {
      await db.schema.alterTable('roots').addColumn('claimed', 'bigint').execute()
      await db.schema
        .alterTable('roots')
        .addColumn('claimers', 'integer', (column) => column.notNull().defaultTo(0))
        .execute()
      await db.schema
        .createIndex('roots_claimed')
        .on('roots')
        .columns(['project_id', 'claimed'])
        .where(sql.ref('claimed'), 'is not', null)
        .execute()
    },
  },
  '0003-captures': {
    async up(db: Kysely<unknown>) {
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
        .addForeignKeyConstraint('requests_root', ['project_id', 'root_id'], 'roots', [
          'project_id',
          'root_id',
        ])
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
    },
  },
  '0004-browsing': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createIndex('projects_oldest_first')
        .on('projects')
        .columns(['created', 'project_id'])
        .execute()
      // With `finished`, though it is always null: SQLite looks at it, and would look for the row otherwise.
      await db.schema
        .createIndex('captures_unfinished')
        .on('captures')
        .columns(['project_id', 'root_id', 'state', 'finished'])
        .where(sql.ref('finished'), 'is', null)
        .execute()
      await sql`create index jobs_of_page on jobs (project_id, ${sql.raw(page)}, created desc, position, uuid)`.execute(
        db,
      )
    },
  },
  '0005-seen': {
    async up(db: Kysely<unknown>) {
      await db.schema.alterTable('requests').addColumn('fail_on', 'text').execute()
      await db.schema
        .alterTable('requests')
        .addColumn('marks', 'text', (column) => column.notNull().defaultTo('{}'))
        .execute()
      await db.schema.alterTable('captures').addColumn('seen', 'text').execute()
      // Of what was captured before, this is all that is known.
      await sql`update requests set marks = '{"cut":' || counted.captures || '}'
        from (select project_id, root_id, count(*) as captures from captures where cut = 1 group by project_id, root_id)
          as counted
        where counted.project_id = requests.project_id and counted.root_id = requests.root_id`.execute(db)
      await db.schema
        .createIndex('captures_failed')
        .on('captures')
        .columns(['project_id', 'root_id', 'position'])
        .where(sql.ref('state'), '=', sql.lit('failed'))
        .execute()
    },
  },
  '0006-turns': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('turns')
        .addColumn('project_id', id, (column) =>
          column.notNull().primaryKey().references('projects.project_id'),
        )
        .addColumn('used', 'bigint', (column) => column.notNull())
        .addColumn('waiting', 'integer', (column) => column.notNull())
        .addColumn('since', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema
        .createIndex('turns_next')
        .on('turns')
        .columns(['used', 'since', 'project_id'])
        .where(sql.ref('waiting'), '>', sql.lit(0))
        .execute()
      // All that waits begins at the same place, whoever kept the queue before.
      await sql`insert into turns (project_id, used, waiting, since)
        select project_id, 0, count(*), min(queued) from captures where finished is null group by project_id`.execute(
        db,
      )
      await db.schema.dropIndex('captures_next').execute()
      await db.schema
        .createIndex('captures_queued')
        .on('captures')
        .columns(['queued'])
        .where(sql.ref('state'), '=', sql.lit('queued'))
        .execute()
      await db.schema
        .createIndex('captures_running')
        .on('captures')
        .columns(['project_id', 'lease', 'started'])
        .where(sql.ref('state'), '=', sql.lit('running'))
        .execute()
    },
  },
  '0007-deaths': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .alterTable('captures')
        .addColumn('deaths', 'integer', (column) => column.notNull().defaultTo(0))
        .execute()
      await sql`create index captures_suspect on captures (project_id, turn)
        where finished is null and deaths >= 3`.execute(db)
    },
  },
  '0008-identity': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('identity')
        .addColumn('name', 'text', (column) => column.notNull().primaryKey())
        .addColumn('value', 'text', (column) => column.notNull())
        .execute()
    },
  },
})

/** Brings the schema up to date, once, however many processes start together. */
export async function migrate(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const { error } = await new Migrator({
    db,
    migrationTableName: MIGRATION_TABLE,
    provider: { getMigrations: async () => migrationsFor(engine) },
    ...(engine.schema !== undefined && { migrationTableSchema: engine.schema }),
  }).migrateToLatest()
  if (error === undefined) return
  if (String(error).includes('corrupted migrations')) {
    throw new AppError(
      'storage_failed',
      'The database was last used by a newer version of proofsheet. Start that version, or restore a backup.',
      { cause: error },
    )
  }
  throw error
}
