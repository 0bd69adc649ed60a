import { parseId } from '../contract/ids.ts'
import { AppError } from '../errors.ts'
import type { Position } from './owned.ts'

export interface ListPage {
  readonly limit: number
  readonly cursor?: string | undefined
}

/** An opaque text for a position. `decodeCursor` refuses every text that `encodeCursor` does not make. */
export function encodeCursor({ created, id }: Position): string {
  return Buffer.from(`${created}.${id}`).toString('base64url')
}

export function decodeCursor(cursor: string, parse = parseId): Position {
  const [created = '', text = ''] = Buffer.from(cursor, 'base64url').toString().split('.', 2)
  const id = parse(text)
  if (id !== undefined && /^\d{1,16}$/.test(created)) {
    const position = { created: Number(created), id }
    if (encodeCursor(position) === cursor) return position
  }
  throw badCursor()
}

/** Reads a list page of what is sorted by time, and one more: then another list page follows. Throws `bad_request` for a bad cursor. */
export async function readListPage<T extends { readonly created: number }>(
  { limit, cursor }: ListPage,
  read: (page: { after: Position | undefined; limit: number }) => Promise<readonly T[]>,
  idOf: (item: T) => string,
  parse = parseId,
): Promise<{ items: readonly T[]; nextCursor: string | undefined }> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor, parse)
  const found = await read({ after, limit: limit + 1 })
  const items = found.slice(0, limit)
  const last = found.length > limit ? items.at(-1) : undefined
  return { items, nextCursor: last && encodeCursor({ created: last.created, id: idOf(last) }) }
}

export function badCursor(): AppError {
  return new AppError('bad_request', 'cursor must come from a Link header of this list')
}
