import type { Piece } from './pieces.ts'

/** Rendered without letting other requests in: of roots with their first jobs as many jobs as in a piece of a list. */
const ITEMS_AT_ONCE = 16

/** The text of items that are at hand, with commas between them and what stands around them. */
export async function* listPieces<T>(
  items: readonly T[],
  render: (item: T) => string,
  { open, close }: { open: string; close: string } = { open: '[', close: ']' },
): AsyncGenerator<Piece> {
  let before = open
  for (let from = 0; ; ) {
    const piece = renderSome(items.slice(from, from + ITEMS_AT_ONCE), render)
    from = Math.min(from + ITEMS_AT_ONCE, items.length)
    const last = from === items.length
    piece.unshift(before)
    if (last) piece.push(close)
    yield { parts: piece, last }
    if (last) return
    before = ','
  }
}

/** By itself: what a generator has had in its hands it holds until it goes on. */
function renderSome<T>(items: readonly T[], render: (item: T) => string): string[] {
  return [items.map(render).join(',')]
}
