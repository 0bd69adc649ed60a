import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { AppError, cannotWrite } from '../../errors.ts'
import { type DatabaseFile, isAllowed, isFull, isReadOnly, readOnly } from './errors.ts'
import { type Mode, openDatabase, whileBusy } from './open-database.ts'

/** How often to check whether the database can be written again. */
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

/**
 * The connections of one process to a file. Processes share an index of the log, in a file beside the database. The first
 * connection makes it. If there is no room for it, a process works without it, and locks the database until there is room. If
 * nothing can be written at all, it reads.
 */
export function openConnections(file: DatabaseFile) {
  const opened: Opened[] = []
  let isClosed = false
  let mode: Mode = 'shared'
  let looking: NodeJS.Timeout | undefined
  let seen = ''

  const open = ({ waits }: { waits: boolean }) => {
    const database = openDatabase(file, mode)
    if (!waits) database.exec('pragma busy_timeout = 0')
    return database
  }
  const reopen = () => {
    for (const each of opened) if (each.database.isOpen) each.database.close()
    for (const each of opened) each.database = open(each)
  }
  const isBusy = () => opened.some(({ database }) => database.isOpen && database.isTransaction)
  /** Opens all connections in another way. If that fails, in the way of before. */
  const change = (next: Mode) => {
    const before = mode
    try {
      become(next)
      reopen()
    } catch {
      become(before)
      try {
        reopen()
      } catch {
        // Another process has locked the database. Until it unlocks it, nothing can be read.
      }
    }
  }
  const look = () => {
    if (isBusy()) return
    if (!isFull(file.path) && !isReadOnly(file.path) && isAllowed(dirname(file.path))) change('shared')
    // Another process, which may write, has written.
    else if (mode === 'reading' && seen !== stateOf(file.path)) change('reading')
  }
  const become = (next: Mode) => {
    mode = next
    seen = stateOf(file.path)
    clearInterval(looking)
    looking = next === 'shared' ? undefined : setInterval(look, LOOK_MS).unref()
  }
  /** Without room the process needs the database for itself. If there is not even an inode, it reads. */
  const openFirst = (options: { waits: boolean }) => {
    const ways: Mode[] = isReadOnly(file.path) ? ['reading'] : ['shared', 'alone', 'reading']
    for (const way of ways) {
      become(way)
      try {
        return open(options)
      } catch (error) {
        if (!cannotWrite(error) || way === ways.at(-1)) throw error
      }
    }
    throw readOnly()
  }
  return {
    async connect({ waits = true } = {}): Promise<Connection> {
      if (isClosed) throw new AppError('unavailable', 'The database is closed.')
      // The first process turns the log on. SQLite does not wait for that by itself.
      const database = await whileBusy(async () =>
        opened.length === 0 ? openFirst({ waits }) : open({ waits }),
      )
      const connection: Opened = { database, waits }
      opened.push(connection)
      return connection
    },
    /** Whether the database is open as always. If not, there was no room, or nothing could be written. */
    isShared: () => mode === 'shared',
    /** A write has failed. If the file system is read-only now, only reading goes on, until it can be written again. */
    afterFailure() {
      if (mode === 'shared' && !isBusy() && isReadOnly(file.path)) change('reading')
    },
    close() {
      isClosed = true
      clearInterval(looking)
      for (const { database } of opened.splice(0)) if (database.isOpen) database.close()
    },
  }
}

/** It is another one when somebody has written. */
function stateOf(path: string): string {
  return [path, `${path}-wal`]
    .map((each) => statSync(each, { throwIfNoEntry: false }))
    .map((stats) => (stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : ''))
    .join()
}
