import { inkOf, isBlank, STRIP } from './ink.ts'
import { type Mask, open } from './mask.ts'
import { decode, differs, offsetOf, type Pixels, sameRow } from './pixels.ts'
import { findSource } from './source.ts'

// Whether a picture of a full page is right, and what is wrong with it. It is compared in strips with a reference.

/** Of the pixels of a strip. Above that, the strip is wrong. */
const WRONG_SHARE = 0.001
const WRONG_LEAST = 12

export interface Reference {
  readonly pixels: Pixels
  readonly mask: Mask
  /** Of the window. */
  readonly windowHeight: number
}

export type Fault = 'size' | 'blank' | 'half-drawn' | 'repeated' | 'shifted' | 'different'

export type Verdict =
  | { readonly right: true; readonly strips: number }
  | {
      readonly right: false
      readonly fault: Fault
      readonly detail: string
      /** Where the first wrong strip begins. */
      readonly y: number
      readonly wrong: number
      readonly strips: number
    }

export async function judge(picture: Buffer, reference: Reference): Promise<Verdict> {
  return judgePixels(await decode(picture), reference)
}

export function judgePixels(picture: Pixels, reference: Reference): Verdict {
  const { pixels } = reference
  const strips = Math.ceil(pixels.height / STRIP)
  if (picture.width !== pixels.width || picture.height !== pixels.height) {
    const detail = `${picture.width}x${picture.height}, and the page is ${pixels.width}x${pixels.height}`
    return { right: false, fault: 'size', detail, y: 0, wrong: strips, strips }
  }
  const wrong = Array.from({ length: strips }, (_, index) => index * STRIP).filter(
    (y) => !isRight(picture, reference, y),
  )
  const [first] = wrong
  if (first === undefined) return { right: true, strips }
  const { fault, detail } = explain(picture, reference, wrong)
  return { right: false, fault, detail, y: first, wrong: wrong.length, strips }
}

/** How many pixels of a strip differ, and of how many. */
function compareStrip(picture: Pixels, { pixels, mask }: Reference, y: number): [number, number] {
  let wrong = 0
  let seen = 0
  for (let row = y; row < Math.min(y + STRIP, pixels.height); row++) {
    const same = sameRow(picture, row, pixels, row)
    const columns = open(mask.spans(row), pixels.width)
    for (let span = 0; span < columns.length; span += 2) {
      const [from = 0, to = 0] = [columns[span], columns[span + 1]]
      seen += to - from
      if (same) continue
      for (let x = from; x < to; x++) {
        const at = offsetOf(pixels, x, row)
        if (differs(picture.data, at, pixels.data, at)) wrong++
      }
    }
  }
  return [wrong, seen]
}

function isRight(picture: Pixels, reference: Reference, y: number): boolean {
  const [wrong, seen] = compareStrip(picture, reference, y)
  return wrong <= Math.max(WRONG_LEAST, seen * WRONG_SHARE)
}

/** One word for what the wrong strips have in common. */
function explain(
  picture: Pixels,
  reference: Reference,
  wrong: readonly number[],
): { fault: Fault; detail: string } {
  const { pixels, mask, windowHeight } = reference
  const [first = 0] = wrong
  const share = `${wrong.length} of ${Math.ceil(pixels.height / STRIP)} strips are wrong, from ${first} px on`
  const blank = wrong.filter((y) => isBlank(picture, mask, y) && !isBlank(pixels, mask, y))
  if (blank.length > wrong.length / 2) {
    const lower = blank.at(-1) === wrong.at(-1) && wrong.at(-1) === lastInk(pixels, mask)
    const half = lower && first > 0
    return { fault: half ? 'half-drawn' : 'blank', detail: `${share}; ${blank.length} of them are blank` }
  }
  const source = findSource(picture, reference, wrong)
  if (source) {
    const { y, from } = source
    const moved = y - from
    // What is also where it belongs is there twice.
    const twice =
      from >= 0 && Math.abs(moved) >= windowHeight / 4 && isRight(picture, reference, stripOf(from))
    if (twice)
      return { fault: 'repeated', detail: `${share}; at ${y} px is what belongs to ${from} px, again` }
    return { fault: 'shifted', detail: `${share}; by ${moved} px at ${y} px` }
  }
  const [ours, theirs] = [picture, pixels].map((each) =>
    wrong.reduce((sum, y) => sum + inkOf(each, mask, y), 0),
  )
  const less = (ours ?? 0) < (theirs ?? 0) * 0.8
  return { fault: less ? 'half-drawn' : 'different', detail: less ? `${share}; ink is missing` : share }
}

function stripOf(y: number): number {
  return Math.floor(y / STRIP) * STRIP
}

/** The last strip of a page that shows anything. */
function lastInk(pixels: Pixels, mask: Mask): number {
  let y = stripOf(pixels.height - 1)
  while (y > 0 && isBlank(pixels, mask, y)) y -= STRIP
  return y
}
