import { parseId } from '../contract/ids.ts'
import { AppError } from '../errors.ts'
import type { RootPosition } from '../store/store.ts'

/** An opaque place in the list. Whatever is not exactly what `encodeCursor` makes is refused. */
export function encodeCursor({ created, rootId }: RootPosition): string {
  return Buffer.from(`${created}.${rootId}`).toString('base64url')
}

export function decodeCursor(cursor: string): RootPosition {
  const [created = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split('.', 2)
  const rootId = parseId(id)
  if (rootId !== undefined && /^\d{1,16}$/.test(created)) {
    const position = { created: Number(created), rootId }
    if (encodeCursor(position) === cursor) return position
  }
  throw new AppError('bad_request', 'cursor is not one that a Link header of this list gave')
}
