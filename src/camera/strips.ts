import type { Pixels } from '../picture.ts'

// A picture is checked by strips of it: the same places, drawn once more, must look the same.

/** Rows of a strip. */
export const STRIP = 32
/** Levels of a colour. What is drawn twice may differ at its edges by less. */
const CONTRAST = 96
/** So many pixels may differ, and this share of what is drawn: letters may be placed half a pixel elsewhere. */
const FEW = 40
const SHARE = 0.3
const CHANNELS = 3
const EVERY = 4

/** How much there is in each strip of some rows. */
export function inkOf(rows: Pixels): number[] {
  return Array.from({ length: Math.floor(rows.height / STRIP) }, (_, index) =>
    countEdges(rows, index * STRIP),
  )
}

/**
 * Which rows to look at again, below `from`, by how much there is in each strip there: of each third the strip with most in it,
 * which tells whether it is at its place, and the middle of what is empty for longest, which tells whether something is missing.
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

/** Whether the picture shows at `top` what the strip shows; a row higher or lower is as good. */
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

/** Pixels that differ from the one before them, by every fourth row. */
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
