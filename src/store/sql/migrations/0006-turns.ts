import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'

export async function up(db: Kysely<unknown>, { id }: Engine): Promise<void> {
  await db.schema
    .createTable('turns')
    .addColumn('project_id', id, (column) => column.notNull().primaryKey().references('projects.project_id'))
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
  // All projects with waiting captures begin with the same use of the browser.
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
}
