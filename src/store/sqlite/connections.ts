import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { AppError } from '../../errors.ts'
import { type DatabaseFile, isFull, translating } from './errors.ts'
import { BUSY_TIMEOUT_MS, whileBusy } from './while-busy.ts'

/** Many writes may make the WAL grow. A checkpoint cuts the file back to this size. */
const WAL_KEPT_BYTES = 64 * 1024 * 1024
/** How often to check whether there is room again. */
const LOOK_MS = 2_000

/** A connection of the store. Its database may be opened again between two statements. */
export interface Connection {
  readonly database: DatabaseSync
}

interface Opened {
  database: DatabaseSync
  /** Whether SQLite itself waits for other writers. */
  readonly waits: boolean
}

export interface SqliteConnections {
  connect(options?: { waits?: boolean }): Promise<Connection>
  /** Throws `storage_full` if there is no room to write. */
  requireRoom(): void
  close(): void
}

/**
 * The connections of one process to a file. Processes share an index of the log, in a file beside the database. The first
 * connection makes it. If there is no room for it, a process works without it, and locks the database until there is room.
 */
export function openConnections(file: DatabaseFile): SqliteConnections {
  const opened: Opened[] = []
  let isClosed = false
  let looking: NodeJS.Timeout | undefined
  const open = ({ waits }: { waits: boolean }) => {
    const database = openDatabase(file, { isAlone: looking !== undefined })
    if (!waits) database.exec('pragma busy_timeout = 0')
    return database
  }
  const reopen = () => {
    for (const each of opened) if (each.database.isOpen) each.database.close()
    for (const each of opened) each.database = open(each)
  }
  const beAlone = () => {
    looking = setInterval(() => {
      if (isFull(file.path) || opened.some(({ database }) => database.isOpen && database.isTransaction))
        return
      clearInterval(looking)
      looking = undefined
      try {
        reopen()
      } catch {
        beAlone()
        try {
          reopen()
        } catch {
          // Another process has locked the database. Until it unlocks it, nothing can be read.
        }
      }
    }, LOOK_MS).unref()
  }
  const openShared = (options: { waits: boolean }) => {
    try {
      return open(options)
    } catch (error) {
      const isFirst = opened.length === 0 && !looking
      if (!isFirst || !(error instanceof AppError) || error.code !== 'storage_full') throw error
      beAlone()
      return open(options)
    }
  }
  return {
    async connect({ waits = true } = {}) {
      if (isClosed) throw new AppError('unavailable', 'The database is closed.')
      // The first process turns the log on. SQLite does not wait for that by itself.
      const database = await whileBusy(async () => openShared({ waits }))
      const connection: Opened = { database, waits }
      opened.push(connection)
      return connection
    },
    requireRoom() {
      if (looking) throw new AppError('storage_full', 'The disk that holds the database is full.')
    },
    close() {
      isClosed = true
      clearInterval(looking)
      for (const { database } of opened.splice(0)) if (database.isOpen) database.close()
    },
  }
}

/** One connection. All important settings are given: none depends on SQLite's defaults. */
export function openDatabase(file: DatabaseFile, { isAlone = false } = {}): DatabaseSync {
  return translating(file, () => {
    const location = isAlone ? `${pathToFileURL(file.path)}?vfs=unix-excl` : file.path
    const database = new DatabaseSync(location, { timeout: BUSY_TIMEOUT_MS })
    try {
      database.exec(
        `pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = ${BUSY_TIMEOUT_MS};
         pragma foreign_keys = on; pragma cell_size_check = on; pragma journal_size_limit = ${WAL_KEPT_BYTES}`,
      )
      const mode = database.prepare('pragma journal_mode').get()?.['journal_mode']
      if (mode !== 'wal')
        throw new AppError(
          'storage_failed',
          `${file.path}: this file system cannot hold a database (${mode})`,
        )
      return database
    } catch (error) {
      database.close()
      throw error
    }
  })
}
