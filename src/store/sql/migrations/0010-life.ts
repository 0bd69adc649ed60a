import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'

export async function up(db: Kysely<unknown>, { id }: Engine): Promise<void> {
  await db.schema.alterTable('requests').addColumn('finished', 'bigint').execute()
  await db.schema.alterTable('requests').addColumn('outcome', 'text').execute()
  // Roots that ended before get their outcome, but no events: no client waits for those.
  await sql`update requests set finished = counted.finished, outcome = counted.outcome
    from (select project_id, root_id, max(finished) as finished,
            case when min(state) <> max(state) then 'partial' else min(state) end as outcome
          from captures group by project_id, root_id having count(*) = count(finished)) as counted
    where counted.project_id = requests.project_id and counted.root_id = requests.root_id`.execute(db)
  await db.schema
    .createIndex('requests_unfinished')
    .on('requests')
    .columns(['project_id', 'root_id'])
    .where(sql.ref('finished'), 'is', null)
    .execute()
  await db.schema
    .alterTable('projects')
    .addColumn('last_event', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
  for (const column of ['removed', 'last_removal'])
    await db.schema.alterTable('projects').addColumn(column, 'bigint').execute()
  await db.schema
    .createTable('events')
    .addColumn('project_id', id, (column) => column.notNull())
    .addColumn('number', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('root_id', id, (column) => column.notNull())
    .addColumn('position', 'integer')
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('events_pk', ['project_id', 'number'])
    .execute()
  for (const [name, columns] of [
    ['events_of_root', ['project_id', 'root_id']],
    ['events_oldest_first', ['created']],
  ] as const) {
    await db.schema
      .createIndex(name)
      .on('events')
      .columns([...columns])
      .execute()
  }
}
