import { parseId } from '../contract/ids.ts'
import { AppError } from '../errors.ts'

/** A position in a list that is sorted by time. A list page begins after it. */
export interface TimePosition {
  readonly created: number
  readonly id: string
}

/** The largest number that every engine can store as a position. */
const LAST_POSITION = 2 ** 31 - 1

/** An opaque text for a position. `decodeCursor` refuses every text that `encodeCursor` does not make. */
export function encodeCursor({ created, id }: TimePosition): string {
  return Buffer.from(`${created}.${id}`).toString('base64url')
}

export function decodeCursor(cursor: string): TimePosition {
  const [created = '', text = ''] = Buffer.from(cursor, 'base64url').toString().split('.', 2)
  const id = parseId(text)
  if (id !== undefined && /^\d{1,16}$/.test(created)) {
    const position = { created: Number(created), id }
    if (encodeCursor(position) === cursor) return position
  }
  throw badCursor()
}

/** The same for the jobs of a root: the position of the first job of a list page. */
export function encodePosition(from: number): string {
  return Buffer.from(`${from}`).toString('base64url')
}

export function decodePosition(cursor: string): number {
  const from = Number(Buffer.from(cursor, 'base64url').toString())
  if (Number.isInteger(from) && from >= 0 && from <= LAST_POSITION && encodePosition(from) === cursor)
    return from
  throw badCursor()
}

export function badCursor(): AppError {
  return new AppError('bad_request', 'cursor must come from a Link header of this list')
}
