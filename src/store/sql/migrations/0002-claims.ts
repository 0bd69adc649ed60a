import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
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
}
