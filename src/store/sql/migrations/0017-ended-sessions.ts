import type { Kysely } from 'kysely'

/** Sessions of people who have signed out. The version before cannot open the cookies of this one, so it needs no rows. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('ended_sessions')
    .addColumn('session', 'text', (column) => column.notNull().primaryKey())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('day', 'integer', (column) => column.notNull())
    .execute()
  for (const column of ['owner', 'day'])
    await db.schema
      .createIndex(`ended_sessions_of_${column}`)
      .on('ended_sessions')
      .columns([column])
      .execute()
  await db.schema
    .createTable('session_days')
    .addColumn('one', 'integer', (column) => column.notNull().primaryKey())
    .addColumn('day', 'integer', (column) => column.notNull())
    .addColumn('begun', 'bigint', (column) => column.notNull())
    .execute()
}
