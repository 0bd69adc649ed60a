import { parseId } from '../contract/ids.ts'
import { AppError } from '../errors.ts'

/** A place in a list that is in the order of time: what a page begins behind. */
export interface Place {
  readonly created: number
  readonly id: string
}

/** What every engine counts to. */
const LAST_POSITION = 2 ** 31 - 1

/** An opaque place in the list. Whatever is not exactly what `encodeCursor` makes is refused. */
export function encodeCursor({ created, id }: Place): string {
  return Buffer.from(`${created}.${id}`).toString('base64url')
}

export function decodeCursor(cursor: string): Place {
  const [created = '', text = ''] = Buffer.from(cursor, 'base64url').toString().split('.', 2)
  const id = parseId(text)
  if (id !== undefined && /^\d{1,16}$/.test(created)) {
    const place = { created: Number(created), id }
    if (encodeCursor(place) === cursor) return place
  }
  throw badCursor()
}

/** The same among the jobs of a root: the position that a page begins with. */
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
  return new AppError('bad_request', 'cursor is not one that a Link header of this list gave')
}
