import type { Pixels } from '../picture/pixels.ts'

// A picture is checked by strips: some rows of the page are drawn once more and must look the same.

/** Rows of a strip. */
export const STRIP = 32
/** Levels of a colour. Edges that are drawn twice may differ by less. */
const CONTRAST = 96
/** How many pixels may differ, and which share of the drawn ones: letters may be half a pixel off. */
const FEW = 40
const SHARE = 0.3
const CHANNELS = 3
const EVERY = 4

export function inkOf(rows: Pixels): number[] {
  return Array.from({ length: Math.floor(rows.height / STRIP) }, (_, index) =>
    countEdges(rows, index * STRIP),
  )
}

/**
 * Chooses the rows to draw once more, below `from`. Of each third: the strip with most in it, which shows whether things
 * are at their position, and the middle of the longest empty stretch, which shows whether something is missing.
 */
export function chooseStrips(ink: readonly number[], from: number): number[] {
  const all = ink.length
  if (all < 1) return []
  const chosen = new Set<number>()
  for (let third = 0; third < 3; third++) {
    const [first, end] = [third, third + 1].map((each) => Math.round((all * each) / 3)) as [number, number]
    let most = first
    for (let index = first; index < end; index++) if ((ink[index] ?? 0) > (ink[most] ?? 0)) most = index
    chosen.add(Math.min(most, all - 1))
  }
  chosen.add(middleOfEmptiest(ink))
  return [...chosen].sort((a, b) => a - b).map((index) => from + index * STRIP)
}

/** Whether the picture shows the strip at `top`, or one row higher or lower. */
export function showsStrip(picture: Pixels, top: number, strip: Pixels): boolean {
  if (strip.width !== picture.width || strip.height !== STRIP) return false
  const most = FEW + SHARE * Math.max(countEdges(strip, 0), countEdges(picture, top))
  return [0, -1, 1].some((shift) => {
    const at = top + shift
    return at >= 0 && at + STRIP <= picture.height && countDifferent(picture, at, strip) <= most
  })
}

function middleOfEmptiest(ink: readonly number[]): number {
  let best = { first: 0, length: 0 }
  let first = 0
  for (let index = 0; index <= ink.length; index++) {
    if (ink[index] === 0) continue
    if (index - first > best.length) best = { first, length: index - first }
    first = index + 1
  }
  return Math.min(ink.length - 1, best.first + Math.floor(best.length / 2))
}

/** Counts pixels that differ from the one before them, in every fourth row. */
function countEdges({ data, width }: Pixels, top: number): number {
  const row = width * CHANNELS
  let edges = 0
  for (let y = top; y < top + STRIP; y += EVERY) {
    for (let at = y * row + CHANNELS; at < (y + 1) * row; at += CHANNELS) {
      if (differ(data, at, data, at - CHANNELS)) edges += EVERY
    }
  }
  return edges
}

function countDifferent(picture: Pixels, top: number, strip: Pixels): number {
  const start = top * picture.width * CHANNELS
  let different = 0
  for (let at = 0; at < strip.width * STRIP * CHANNELS; at += CHANNELS) {
    if (differ(picture.data, start + at, strip.data, at)) different++
  }
  return different
}

function differ(one: Buffer, at: number, other: Buffer, there: number): boolean {
  for (let channel = 0; channel < CHANNELS; channel++) {
    if (Math.abs((one[at + channel] ?? 0) - (other[there + channel] ?? 0)) > CONTRAST) return true
  }
  return false
}
