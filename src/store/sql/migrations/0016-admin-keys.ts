import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'

/** A key for the whole service belongs to no project. The version before finds such a key, but it opens no project there. */
const WHAT_FITS = sql`(scope in ('read', 'write') and project_id is not null) or (scope = 'admin' and project_id is null)`

export async function up(db: Kysely<unknown>, { id, schema }: Engine): Promise<void> {
  // SQLite cannot change a constraint. Only SQLite has no schemas.
  if (schema === undefined) await makeAnew(db, id)
  else {
    await sql`alter table keys alter column project_id drop not null, drop constraint keys_scope_check,
      add constraint keys_scope_check check (${WHAT_FITS})`.execute(db)
  }
  for (const [name, columns] of [
    ['keys_oldest_first', ['created', 'key_id']],
    ['keys_of_project', ['project_id', 'created', 'key_id']],
  ] as const) {
    await db.schema
      .createIndex(name)
      .on('keys')
      .columns([...columns])
      .execute()
  }
}

async function makeAnew(db: Kysely<unknown>, id: Engine['id']): Promise<void> {
  await db.schema.alterTable('keys').renameTo('keys_before').execute()
  await db.schema
    .createTable('keys')
    .addColumn('key_id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('project_id', id, (column) => column.references('projects.project_id'))
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('label', 'text', (column) => column.notNull())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('revoked', 'bigint')
    .addCheckConstraint('keys_scope_check', WHAT_FITS)
    .execute()
  await sql`insert into keys select key_id, project_id, hash, scope, label, created, revoked from keys_before`.execute(
    db,
  )
  await db.schema.dropTable('keys_before').execute()
}
