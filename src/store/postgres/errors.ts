import pg from 'pg'
import { AppError, type ErrorCode } from '../../errors.ts'

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
  const { message } = error
  const { code = '' } = error as NodeJS.ErrnoException
  const as = (kind: ErrorCode, told: string) => new AppError(kind, told, { cause: error })
  if (error instanceof pg.DatabaseError) {
    if (code === DISK_FULL) return as('storage_full', 'The disk that holds the database is full.')
    if (code === READ_ONLY)
      return as('read_only', 'The database can only be read: its server does not allow writing.')
    if (code === BY_POOLER && UNSUPPORTED.test(message))
      return as(
        'storage_failed',
        `The pooler in front of the database refuses the parameters of the address (${message}). Remove them, and set them for the role, such as: alter role me in database proofsheet set search_path = proofsheet`,
      )
    const lasts = code === BY_POOLER && LASTING.test(message)
    const reason = lasts ? undefined : (PASSING[code] ?? PASSING[code.slice(0, 2)])
    return reason === undefined
      ? as('storage_failed', `The database refused: ${message}`)
      : as('unavailable', `The database cannot answer: ${reason} (${message}).`)
  }
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return error
  // pg has no class for errors of connections. All other errors are such: refused, reset, timed out, closed.
  return as('unavailable', `The database cannot be reached: ${message || code}.`)
}
