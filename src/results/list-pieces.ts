import type { Piece } from './pieces.ts'

/** Items in one piece. For overviews of roots, that is as many jobs as in a piece of a list of roots. */
const ITEMS_AT_ONCE = 16

/** The text of items that were read before, with commas between them, and the text before and after them. */
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

/** A function of its own: a generator would keep the items in memory until its next step. */
function renderSome<T>(items: readonly T[], render: (item: T) => string): string[] {
  return [items.map(render).join(',')]
}
