import pg from 'pg'
import { AppError } from '../../errors.ts'

/**
 * With these codes the server ends the connection, or we do: another connection may lead to a server that allows writing (25006).
 * (`severity` is not used: it is in the language of the server.)
 */
const PARTING = /^(08|57P0|25P0[34]|25006)/

/** An error of one statement. After any other error, the connection cannot be used any more. */
export function isStatementError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !PARTING.test(error.code ?? '')
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html, by class or by code. */
const PASSING: Record<string, string> = {
  '08': 'the connection was lost',
  '40': 'another transaction was in the way',
  '53': 'it has no connection or memory left',
  '55': 'another transaction was in the way',
  '57': 'it is stopping, starting or took too long',
  '25P03': 'the transaction was idle for too long',
}
const DISK_FULL = '53100'
/** The server is a standby, or a setting makes every transaction read-only. */
const READ_ONLY = '25006'
/** PgBouncer uses 08P01 for every error, also for lasting ones: a wrong password, a wrong name. */
const BY_POOLER = '08P01'
const LASTING = /authentication failed|^no such (user|database)|^database .* does not exist/
const UNSUPPORTED = /^unsupported startup parameter/

export function toStoreError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error
  const { code = '' } = error as NodeJS.ErrnoException
  if (error instanceof pg.DatabaseError) {
    if (code === DISK_FULL) {
      return new AppError('storage_full', 'The disk that holds the database is full.', { cause: error })
    }
    if (code === READ_ONLY) {
      return new AppError('read_only', 'The database can only be read: its server does not allow writing.', {
        cause: error,
      })
    }
    if (code === BY_POOLER && UNSUPPORTED.test(error.message)) {
      return new AppError(
        'storage_failed',
        `The pooler in front of the database refuses the parameters of the address (${error.message}). Remove them, and set them for the role, such as: alter role me in database proofsheet set search_path = proofsheet`,
        { cause: error },
      )
    }
    const lasts = code === BY_POOLER && LASTING.test(error.message)
    const reason = lasts ? undefined : (PASSING[code] ?? PASSING[code.slice(0, 2)])
    return reason === undefined
      ? new AppError('storage_failed', `The database refused: ${error.message}`, { cause: error })
      : new AppError('unavailable', `The database cannot answer: ${reason} (${error.message}).`, {
          cause: error,
        })
  }
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return error
  // pg has no class for errors of connections. All other errors are such: refused, reset, timed out, closed.
  const reason = error.message || code
  return new AppError('unavailable', `The database cannot be reached: ${reason}.`, { cause: error })
}
