import { type Area, both, maskOf, open } from './mask.ts'
import { differs, offsetOf, type Pixels, sameRow } from './pixels.ts'

const BLOCK = 32

interface Side {
  readonly pixels: Pixels
  readonly areas: readonly Area[]
}

/** Blocks in which two pictures of a page differ, with a margin, but for what is masked in one of them. */
export function unlike(one: Side, other: Side): Area[] {
  const { width, height } = one.pixels
  const [mask, otherMask] = [maskOf(one.areas, width), maskOf(other.areas, width)]
  const blocks = new Set<number>()
  const inRow = Math.ceil(width / BLOCK)
  for (let y = 0; y < Math.min(height, other.pixels.height); y++) {
    if (sameRow(one.pixels, y, other.pixels, y)) continue
    const columns = open(both(mask.spans(y), otherMask.spans(y)), width)
    for (let span = 0; span < columns.length; span += 2) {
      for (let x = columns[span] ?? 0; x < (columns[span + 1] ?? 0); x++) {
        const at = offsetOf(one.pixels, x, y)
        if (!differs(one.pixels.data, at, other.pixels.data, at)) continue
        blocks.add(Math.floor(y / BLOCK) * inRow + Math.floor(x / BLOCK))
      }
    }
  }
  return [...blocks].map((block) => ({
    x: ((block % inRow) - 1) * BLOCK,
    y: (Math.floor(block / inRow) - 1) * BLOCK,
    width: 3 * BLOCK,
    height: 3 * BLOCK,
  }))
}
