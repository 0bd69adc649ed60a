import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('requests').addColumn('fail_on', 'text').execute()
  await db.schema
    .alterTable('requests')
    .addColumn('marks', 'text', (column) => column.notNull().defaultTo('{}'))
    .execute()
  await db.schema.alterTable('captures').addColumn('seen', 'text').execute()
  // Only this mark is known of older captures.
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
}
