import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../../errors.ts'

/** Primary result codes: https://www.sqlite.org/rescode.html */
const BUSY = 5
const LOCKED = 6
const IO_ERROR = 10
const CORRUPT = 11
const FULL = 13
const CANNOT_OPEN = 14
const NO_DATABASE = 26

/** With less free space, SQLite may fail to make the files beside the database. */
const SCANT_BYTES = 1024 * 1024

/** The file of a database, and the damage that was found. */
export interface DatabaseFile {
  readonly path: string
  damage: string | undefined
}

export function isDamage(errcode: number): boolean {
  return [CORRUPT, NO_DATABASE].includes(errcode & 0xff)
}

/** The message may reach clients. The log has the details. */
export function damaged({ damage }: DatabaseFile): AppError {
  return new AppError(
    'storage_failed',
    'The database is damaged. What is read from it may be wrong: restore a backup.',
    {
      cause: new Error(damage),
      isTold: true,
    },
  )
}

/** Runs something on a database. Errors of SQLite become an AppError. */
export function translating<T>(file: DatabaseFile, run: () => T): T {
  try {
    return run()
  } catch (error) {
    const { code, errcode } = error as { code?: string; errcode?: number }
    if (code === 'ERR_INVALID_STATE')
      throw new AppError('unavailable', 'The database is closed.', { cause: error })
    if (code !== 'ERR_SQLITE_ERROR' || errcode === undefined) throw error
    const primary = errcode & 0xff
    if (primary === BUSY || primary === LOCKED) {
      throw new AppError('unavailable', 'The database is busy; try again.', { cause: error })
    }
    if (primary === FULL || ((primary === IO_ERROR || primary === CANNOT_OPEN) && isFull(file.path))) {
      throw new AppError('storage_full', 'The disk that holds the database is full.', { cause: error })
    }
    if (isDamage(errcode)) file.damage ??= (error as Error).message
    throw new AppError('storage_failed', `The database failed: ${(error as Error).message}`, { cause: error })
  }
}

/** Without room, SQLite reports an I/O error if it cannot make or grow the files beside the database. */
export function isFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path))
    return bavail * bsize < SCANT_BYTES
  } catch {
    return false
  }
}
