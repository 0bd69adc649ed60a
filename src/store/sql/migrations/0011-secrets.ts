import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'

const OF_CAPTURE = ['project_id', 'root_id', 'position'] as const

export async function up(db: Kysely<unknown>, { id, oldVersionRuns }: Engine): Promise<void> {
  await db.schema
    .createTable('secrets')
    .addColumn('project_id', id, (column) => column.notNull())
    .addColumn('root_id', id, (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('sealed', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('secrets_pk', [...OF_CAPTURE])
    .addForeignKeyConstraint('secrets_capture', [...OF_CAPTURE], 'captures', [...OF_CAPTURE], (key) =>
      key.onDelete('cascade'),
    )
    .execute()
  if (oldVersionRuns) await deleteAtTheEnd(db)
}

/**
 * The version before does not delete the secrets of a page that it ends. A later migration can drop trigger and function:
 * this version does not need them.
 */
async function deleteAtTheEnd(db: Kysely<unknown>): Promise<void> {
  await sql`create function secrets_of_two_versions() returns trigger language plpgsql as $$
    begin
      delete from secrets
        where project_id = new.project_id and root_id = new.root_id and position = new.position;
      return null;
    end $$`.execute(db)
  await sql`create trigger secrets_of_two_versions after update of finished on captures
    for each row when (new.finished is not null) execute function secrets_of_two_versions()`.execute(db)
}
