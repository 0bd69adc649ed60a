import type { Kysely } from 'kysely'
import type { Engine } from '../database.ts'

/** A job says which picture it has. Null: the picture has the name of its job. */
export async function up(db: Kysely<unknown>, _engine: Engine): Promise<void> {
  await db.schema.alterTable('jobs').addColumn('picture', 'text').execute()
}
