import { inkOf, STRIP } from './ink.ts'
import type { Reference } from './judge.ts'
import { both, open } from './mask.ts'
import { differs, offsetOf, type Pixels } from './pixels.ts'

/** A strip with less than this could be from anywhere. */
const TELLING_INK = 200
/** Strips that are looked for; the first that is found is the answer. */
const ATTEMPTS = 8
/** Of the pixels that are looked at. */
const FORGIVEN = 0.002
const STEP_X = 3

/**
 * Where what a wrong strip shows belongs in the reference: `y` is where it is, `from` where it should be. The nearest
 * position counts, because many things are on a page more than once.
 */
export function findSource(
  picture: Pixels,
  reference: Reference,
  wrong: readonly number[],
): { y: number; from: number } | undefined {
  // Two strips together match at fewer positions.
  const height = STRIP * 2
  const telling = wrong.filter(
    (y) => y + height <= picture.height && inkOf(picture, reference.mask, y, height) >= TELLING_INK,
  )
  for (const y of telling.slice(0, ATTEMPTS)) {
    const most = Math.max(y, picture.height - height - y)
    for (let distance = 1; distance <= most; distance++) {
      for (const from of [y - distance, y + distance]) {
        if (from < 0 || from + height > picture.height) continue
        if (looksLike(picture, y, reference, from, height)) return { y, from }
      }
    }
  }
  return undefined
}

function looksLike(
  picture: Pixels,
  y: number,
  { pixels, mask }: Reference,
  from: number,
  height: number,
): boolean {
  let wrong = 0
  let ink = 0
  const allowed = (pixels.width / STEP_X) * height * FORGIVEN
  // Rows far apart first: what is elsewhere is told apart soon.
  for (let step = 0; step < height; step++) {
    const row = (step * 13) % height
    const columns = open(both(mask.spans(y + row), mask.spans(from + row)), pixels.width)
    for (let span = 0; span < columns.length; span += 2) {
      const [start = 0, end = 0] = [columns[span], columns[span + 1]]
      for (let x = start; x < end; x += STEP_X) {
        const at = offsetOf(picture, x, y + row)
        if (x > start && differs(picture.data, at, picture.data, at - STEP_X * 3)) ink++
        if (differs(picture.data, at, pixels.data, offsetOf(pixels, x, from + row)) && ++wrong > allowed)
          return false
      }
    }
  }
  return ink >= TELLING_INK / STEP_X / 2
}
