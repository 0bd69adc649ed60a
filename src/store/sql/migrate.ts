import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { AppError } from '../../errors.ts'
import type { Engine } from './database.ts'
import { loadMigrations, MIGRATION_TABLE } from './schema-version.ts'
import type { Tables } from './tables.ts'

/** Brings the schema up to date, once, even if several processes start together. */
export async function migrate(db: Kysely<Tables>, engine: Engine): Promise<void> {
  const { error } = await new Migrator({
    db,
    migrationTableName: MIGRATION_TABLE,
    provider: { getMigrations: () => migrationsFor(engine) },
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

async function migrationsFor(engine: Engine): Promise<Record<string, Migration>> {
  const migrations = await loadMigrations()
  return Object.fromEntries(migrations.map(({ name, up }) => [name, { up: (db) => up(db, engine) }]))
}
