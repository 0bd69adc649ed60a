import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeDurableFolder, syncFolder } from '../../durable-folder.ts'
import { AppError } from '../../errors.ts'
import { isUpToDate, MIGRATION_TABLE } from '../sql/schema-version.ts'
import { createSqlStore } from '../sql/sql-store.ts'
import type { Store } from '../store.ts'
import { createSqliteBrowsing } from './browsing.ts'
import { translating } from './errors.ts'
import { preparing } from './prepare.ts'
import { createSqliteReads } from './reads.ts'
import { BUSY_TIMEOUT_MS, whileBusy } from './while-busy.ts'

/** A burst of writes may grow the WAL; a checkpoint cuts the file back to this. */
const WAL_KEPT_BYTES = 64 * 1024 * 1024

/** Two connections: while one of them writes, requests go on reading through the other. */
export async function openSqliteStore(path: string): Promise<Store> {
  await makeDurableFolder(dirname(path))
  // Made here and not by SQLite, so that it is its owner's alone; the log beside it takes over the mode.
  await (await open(path, 'a', 0o600)).close()
  await syncFolder(dirname(path))
  const opened: DatabaseSync[] = []
  const close = async () => {
    for (const database of opened.splice(0)) database.close()
  }
  const connect = async () => {
    // Whoever is first turns the log on, and SQLite does not wait for that by itself.
    const database = await whileBusy(async () => openDatabase(path))
    opened.push(database)
    return database
  }
  try {
    const database = await connect()
    if (!isUpToDate(migrationsMade(database, path))) await bringUpToDate(path)
    const loadWrites = async () => {
      // Loaded where something is written: who only serves does without.
      const [{ queryBuilder }, { openWrites }] = await Promise.all([
        import('./dialect.ts'),
        import('../sql/writes.ts'),
      ])
      if (opened.length === 0) throw new AppError('unavailable', 'The database is closed.')
      const writer = await connect()
      writer.exec('pragma busy_timeout = 0')
      const [read, write] = [queryBuilder(database), queryBuilder(writer)]
      return openWrites({ read, write, severalWriters: false, clockSkew: async () => 0 })
    }
    const prepare = preparing(database, path)
    const [reads, browsing] = [createSqliteReads(prepare), createSqliteBrowsing(prepare)]
    return createSqlStore({ reads, browsing, loadWrites, close })
  } catch (error) {
    await close()
    throw error
  }
}

function migrationsMade(database: DatabaseSync, path: string): unknown[] {
  return translating(path, () => {
    const there = database.prepare('select 1 from sqlite_schema where name = ?').get(MIGRATION_TABLE)
    if (!there) return []
    return database
      .prepare(`select name from ${MIGRATION_TABLE}`)
      .all()
      .map(({ name }) => name)
  })
}

async function bringUpToDate(path: string): Promise<void> {
  const [{ queryBuilder }, { migrate }] = await Promise.all([
    import('./dialect.ts'),
    import('../sql/migrations.ts'),
  ])
  const database = await whileBusy(async () => openDatabase(path))
  try {
    await migrate(queryBuilder(database), { id: 'text', page: 'url' })
  } finally {
    database.close()
  }
}

/** One connection, with everything that matters said and nothing left to SQLite's defaults. */
export function openDatabase(path: string): DatabaseSync {
  return translating(path, () => {
    const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
    try {
      database.exec(
        `pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = ${BUSY_TIMEOUT_MS};
         pragma foreign_keys = on; pragma journal_size_limit = ${WAL_KEPT_BYTES}`,
      )
      const mode = database.prepare('pragma journal_mode').get()?.['journal_mode']
      if (mode !== 'wal')
        throw new AppError('storage_failed', `${path}: this file system cannot hold a database (${mode})`)
      return database
    } catch (error) {
      database.close()
      throw error
    }
  })
}
