import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('captures')
    .addColumn('deaths', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await sql`create index captures_suspect on captures (project_id, turn)
    where finished is null and deaths >= 3`.execute(db)
}
