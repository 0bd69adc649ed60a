import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { AppError } from '../../errors.ts'
import type { Engine } from './database.ts'
import { MIGRATIONS } from './migrations.ts'
import type { Tables } from './tables.ts'

/** The table with the changes that were made. */
export const MIGRATION_TABLE = 'kysely_migration'

export function isUpToDate(made: readonly unknown[]): boolean {
  const names = Object.keys(MIGRATIONS)
  return made.length === names.length && names.every((name) => made.includes(name))
}

/** Brings the schema up to date, once, even if several processes start together. */
export async function migrate(db: Kysely<Tables>, engine: Engine): Promise<void> {
  const { error } = await new Migrator({
    db,
    migrationTableName: MIGRATION_TABLE,
    provider: { getMigrations: async () => migrationsFor(engine) },
    ...(engine.schema !== undefined && { migrationTableSchema: engine.schema }),
  }).migrateToLatest()
  if (error === undefined) return
  if (String(error).includes('corrupted migrations')) {
    throw new AppError(
      'storage_failed',
      'The database was last used by a newer version of proofsheet. Start that version, or restore a backup.',
      { cause: error },
    )
  }
  throw error
}

function migrationsFor(engine: Engine): Record<string, Migration> {
  const migrations = Object.entries(MIGRATIONS).map(([name, change]) => {
    const up = async (db: Kysely<unknown>) => {
      for (const statement of change(engine)) await sql.raw(statement).execute(db)
    }
    return [name, { up }] as const
  })
  return Object.fromEntries(migrations)
}
