import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'

/** Where a root comes from: the time it was scheduled for, its template, its recurring schedule. */
export async function up(db: Kysely<unknown>, { id }: Engine): Promise<void> {
  for (const [name, type] of [
    ['scheduled', 'bigint'],
    ['begun', 'bigint'],
    ['template_id', id],
    ['schedule_id', id],
    ['occurrence', 'bigint'],
    ['late_ms', 'bigint'],
    ['missed', 'bigint'],
  ] as const)
    await db.schema.alterTable('requests').addColumn(name, type).execute()
  await db.schema
    .createIndex('requests_occurrence')
    .on('requests')
    .columns(['schedule_id', 'occurrence'])
    .unique()
    .where(sql.ref('schedule_id'), 'is not', null)
    .execute()
  await sql`create index requests_scheduled on requests (scheduled)
    where scheduled is not null and begun is null and finished is null`.execute(db)
}
