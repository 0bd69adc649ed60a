import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, stat } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { dirname, extname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { makeDurableFolder, syncFolder } from '../../files/durable-folder.ts'
import { isUpToDate, MIGRATION_TABLE, migrate } from '../sql/migrate.ts'
import { createSqlStore, type Store } from '../sql/sql-store.ts'
import { createSqliteBrowsing } from './browsing.ts'
import { createCheckpoints } from './checkpoints.ts'
import { openConnections } from './connections.ts'
import { queryBuilder } from './dialect.ts'
import { type DatabaseFile, damaged, full, isFull, isReadOnly, readOnly, translating } from './errors.ts'
import { openDatabase, whileBusy } from './open-database.ts'
import { createSqliteReads } from './reads.ts'
import { createRun } from './statements.ts'

const QUICK_CHECK = fileURLToPath(
  new URL(`./quick-check-program${extname(import.meta.url)}`, import.meta.url),
)

/** Two connections: while one of them writes, requests read through the other. */
export async function openSqliteStore(path: string, { clock = Date.now } = {}): Promise<Store> {
  await makeFile(path)
  const file: DatabaseFile = { path, damage: undefined }
  const connections = openConnections(file)
  const checkpoints = createCheckpoints(file)
  const close = async () => {
    await checkpoints.close()
    connections.close()
  }
  try {
    const reader = await connections.connect()
    if (!isUpToDate(migrationsMade(reader.database, file))) {
      if (!connections.isShared()) throw isFull(path) ? full() : readOnly()
      await bringUpToDate(file)
    }
    const writer = await connections.connect({ waits: false })
    const [read, write] = [queryBuilder(reader, file), queryBuilder(writer, file, checkpoints.onRun)]
    const run = createRun(reader, file)
    const reads = createSqliteReads(run)
    const check = async () => {
      if (file.damage !== undefined) throw damaged(file)
      await reads.check()
    }
    const findDamage = async (signal: AbortSignal) => {
      file.damage ??= await quickCheck(path, signal)
      return file.damage
    }
    return createSqlStore({
      reads: { ...reads, check },
      browsing: createSqliteBrowsing(run),
      database: { read, write, skew: async () => 0, clock },
      findDamage,
      writing: {
        check: async () => {
          if (isReadOnly(path)) throw readOnly()
        },
        afterFailure: connections.afterFailure,
        onFailure: (fail) => {
          file.onUnwritable = fail
          if (!connections.isShared()) fail()
        },
      },
      close,
    })
  } catch (error) {
    await close()
    throw error
  }
}

/** Made here and not by SQLite, so that only this user can read it. The WAL beside it gets the same mode. */
async function makeFile(path: string): Promise<void> {
  try {
    await makeDurableFolder(dirname(path))
    await (await open(path, 'a', 0o600)).close()
    await syncFolder(dirname(path))
  } catch (error) {
    // The existing rows can be read.
    if ((error as NodeJS.ErrnoException).code !== 'EROFS' || !(await stat(path).catch(() => undefined)))
      throw error
  }
}

function migrationsMade(database: DatabaseSync, file: DatabaseFile): unknown[] {
  return translating(file, () => {
    const there = database.prepare('select 1 from sqlite_schema where name = ?').get(MIGRATION_TABLE)
    if (!there) return []
    return database
      .prepare(`select name from ${MIGRATION_TABLE}`)
      .all()
      .map(({ name }) => name)
  })
}

async function bringUpToDate(file: DatabaseFile): Promise<void> {
  const database = await whileBusy(async () => openDatabase(file))
  try {
    await migrate(queryBuilder({ database }, file), { id: 'text', page: 'url', oldVersionRuns: false })
  } finally {
    database.close()
  }
}

/**
 * Searches a whole database for damage that SQLite can find. Returns the first. It runs in its own process with a low
 * priority, so that readers and writers do not wait for it. Undefined if there is no damage, or it could not run.
 */
async function quickCheck(path: string, signal: AbortSignal): Promise<string | undefined> {
  const child = spawn(process.execPath, ['--no-warnings', QUICK_CHECK, path], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {},
    signal,
    killSignal: 'SIGKILL',
  })
  const ended = once(child, 'close')
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
  } catch {
    // The process may have ended already.
  }
  try {
    const [found] = await Promise.all([text(child.stdout), ended])
    return found === '' ? undefined : found
  } catch {
    return undefined
  }
}
