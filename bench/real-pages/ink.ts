import { both, type Mask, open } from './mask.ts'
import { differs, offsetOf, type Pixels } from './pixels.ts'

/** Pictures are compared in strips of this height. */
export const STRIP = 32
/** Apart by this much, a pixel is ink. */
const INK = 24

/** Pixels that are unlike their left neighbour, or the one above: zero where all has one colour. */
export function inkOf(pixels: Pixels, mask: Mask, y: number, height = STRIP, enough = Infinity): number {
  let ink = 0
  const end = Math.min(y + height, pixels.height)
  for (let row = y; row < end; row++) {
    const above = row > y ? offsetOf(pixels, 0, row - 1) - offsetOf(pixels, 0, row) : 0
    const spans = row > y ? both(mask.spans(row), mask.spans(row - 1)) : mask.spans(row)
    const columns = open(spans, pixels.width)
    if (ink >= enough) return ink
    for (let span = 0; span < columns.length; span += 2) {
      const [from = 0, to = 0] = [columns[span], columns[span + 1]]
      for (let x = from; x < to; x++) {
        const at = offsetOf(pixels, x, row)
        const left = x > from ? at - offsetOf(pixels, 1, 0) : at
        if (differs(pixels.data, at, pixels.data, left, INK)) ink++
        else if (differs(pixels.data, at, pixels.data, at + above, INK)) ink++
      }
    }
  }
  return ink
}

/** A strip in one colour. */
export function isBlank(pixels: Pixels, mask: Mask, y: number): boolean {
  return inkOf(pixels, mask, y, STRIP, 1) === 0
}
