import { accessSync, chmodSync, constants, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../../errors.ts'

/** Primary result codes: https://www.sqlite.org/rescode.html */
const BUSY = 5
const LOCKED = 6
const READ_ONLY = 8
const IO_ERROR = 10
const CORRUPT = 11
const FULL = 13
const CANNOT_OPEN = 14
const NO_DATABASE = 26
/** The file was moved or removed while it was open. */
const MOVED = READ_ONLY | (4 << 8)

/** With less free space, SQLite may fail to make the files beside the database. */
const SCANT_BYTES = 1024 * 1024
const SCANT_INODES = 2

/** The file of a database, and the damage that was found. */
export interface DatabaseFile {
  readonly path: string
  damage: string | undefined
  /** Called when nothing could be written. */
  onUnwritable?: () => void
}

export function isDamage(errcode: number): boolean {
  return [CORRUPT, NO_DATABASE].includes(errcode & 0xff)
}

/** The message may reach clients. The log has the details. */
export function damaged({ damage }: DatabaseFile): AppError {
  return new AppError(
    'storage_failed',
    'The database is damaged. Its answers may be wrong: restore a backup.',
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
    const obstacle = toObstacle(errcode, file.path, error)
    if (obstacle) {
      file.onUnwritable?.()
      throw obstacle
    }
    if (isDamage(errcode)) file.damage ??= (error as Error).message
    throw new AppError('storage_failed', `The database failed: ${(error as Error).message}`, { cause: error })
  }
}

/** Why nothing can be written, if that is the error. */
function toObstacle(errcode: number, path: string, cause: unknown): AppError | undefined {
  const primary = errcode & 0xff
  if (primary === FULL) return full(cause)
  if (primary === READ_ONLY && errcode !== MOVED) return isFull(path) ? full(cause) : readOnly(cause)
  // These have many reasons. Among them: SQLite could not make or grow the files beside the database.
  if (primary !== IO_ERROR && primary !== CANNOT_OPEN) return undefined
  if (isFull(path)) return full(cause)
  return isReadOnly(path) || !isAllowed(dirname(path)) ? readOnly(cause) : undefined
}

export function full(cause?: unknown): AppError {
  return new AppError('storage_full', 'The disk that holds the database is full.', { cause })
}

export function readOnly(cause?: unknown): AppError {
  return new AppError('read_only', 'The database can only be read: its folder cannot be written.', { cause })
}

export function isFull(path: string): boolean {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(dirname(path))
    // Some file systems count no inodes.
    return bavail * bsize < SCANT_BYTES || (files > 0 && ffree < SCANT_INODES)
  } catch {
    return false
  }
}

/** Whether its file system is. It sets the mode of the file as it is: a file system that has failed refuses only changes. */
export function isReadOnly(path: string): boolean {
  try {
    chmodSync(path, statSync(path).mode & 0o7777)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS'
  }
}

export function isAllowed(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
