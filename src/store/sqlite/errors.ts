import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../../errors.ts'

/** Primary result codes: https://www.sqlite.org/rescode.html */
const BUSY = 5
const LOCKED = 6
const IO_ERROR = 10
const FULL = 13

/** Runs something on the database at `path`; what it throws is one of ours. */
export function translating<T>(path: string, run: () => T): T {
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
    if (primary === FULL || (primary === IO_ERROR && isFull(path))) {
      throw new AppError('storage_full', 'The disk that holds the database is full.', { cause: error })
    }
    throw new AppError('storage_failed', `The database failed: ${(error as Error).message}`, { cause: error })
  }
}

/** With no block left SQLite cannot even make the files beside the database, and calls that an I/O error. */
function isFull(path: string): boolean {
  try {
    return statfsSync(dirname(path)).bavail === 0
  } catch {
    return false
  }
}
