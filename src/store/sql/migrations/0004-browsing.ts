import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'

export async function up(db: Kysely<unknown>, { page }: Engine): Promise<void> {
  await db.schema
    .createIndex('projects_oldest_first')
    .on('projects')
    .columns(['created', 'project_id'])
    .execute()
  // With `finished`, although it is always null: SQLite checks it, and would read the row otherwise.
  await db.schema
    .createIndex('captures_unfinished')
    .on('captures')
    .columns(['project_id', 'root_id', 'state', 'finished'])
    .where(sql.ref('finished'), 'is', null)
    .execute()
  await sql`create index jobs_of_page on jobs (project_id, ${sql.raw(page)}, created desc, position, uuid)`.execute(
    db,
  )
}
