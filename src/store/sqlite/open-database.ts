import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { AppError } from '../../errors.ts'
import { AUTOCHECKPOINT } from './checkpoints.ts'
import { type DatabaseFile, translating } from './errors.ts'

/** How long a writer waits for the transaction of another process. Readers never wait in WAL mode. */
export const BUSY_TIMEOUT_MS = 5_000
/** SQLite would block the thread while it waits, and with it every request. So it does not wait, and is asked again. */
const RETRY_MS = 10
/** Many writes may make the WAL grow. A checkpoint cuts the file back to this size. */
const WAL_KEPT_BYTES = 64 * 1024 * 1024
const EACH_CONNECTION = `pragma busy_timeout = ${BUSY_TIMEOUT_MS}; pragma foreign_keys = on; pragma cell_size_check = on`

/**
 * How a database is opened. `shared`: as always, beside other processes. `alone`: locked by this process, without room for the
 * index that processes share. `reading`: nothing can be written, not even the files beside the database.
 */
export type Mode = 'shared' | 'alone' | 'reading'

/** One connection. All important settings are given: none depends on SQLite's defaults. */
export function openDatabase(file: DatabaseFile, mode: Mode = 'shared'): DatabaseSync {
  return translating(file, () => (mode === 'reading' ? openForReading(file) : openForWriting(file, mode)))
}

function openForWriting({ path }: DatabaseFile, mode: 'shared' | 'alone'): DatabaseSync {
  const location = mode === 'alone' ? `${pathToFileURL(path)}?vfs=unix-excl` : path
  return settle(new DatabaseSync(location, { timeout: BUSY_TIMEOUT_MS }), (database) => {
    database.exec(
      `pragma journal_mode = wal; pragma synchronous = full; ${EACH_CONNECTION};
       pragma journal_size_limit = ${WAL_KEPT_BYTES}; pragma wal_autocheckpoint = ${AUTOCHECKPOINT}`,
    )
    const kept = database.prepare('pragma journal_mode').get()?.['journal_mode']
    if (kept !== 'wal')
      throw new AppError('storage_failed', `${path}: this file system cannot hold a database (${kept})`)
  })
}

/**
 * With the files that a killed process left beside it, a database can be read with all that was written. Without them SQLite
 * would make them. Then it is told that nobody writes: the database is complete, unless there is a log.
 */
function openForReading({ path }: DatabaseFile): DatabaseSync {
  const read = (location: string) =>
    settle(new DatabaseSync(location, { timeout: BUSY_TIMEOUT_MS, readOnly: true }), (database) => {
      database.exec(EACH_CONNECTION)
      database.prepare('select 1 from sqlite_schema').get()
    })
  try {
    return read(path)
  } catch (error) {
    if (hasLog(path))
      throw new AppError(
        'storage_failed',
        `${path}: the last changes are in ${path}-wal, and SQLite cannot read them without writing beside it. Make the folder ` +
          'writable once, or copy all its files to one that is.',
        { cause: error },
      )
    return read(`${pathToFileURL(path)}?immutable=1`)
  }
}

function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}

function settle(database: DatabaseSync, begin: (database: DatabaseSync) => void): DatabaseSync {
  try {
    begin(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Tries again and again. Other work runs in between. */
export async function whileBusy<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + BUSY_TIMEOUT_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      // A closed database is also `unavailable`, but stays so.
      const busy =
        error instanceof AppError &&
        error.code === 'unavailable' &&
        (error.cause as NodeJS.ErrnoException).code === 'ERR_SQLITE_ERROR'
      if (!busy || performance.now() > deadline) throw error
      await sleep(RETRY_MS)
    }
  }
}
