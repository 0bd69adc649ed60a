import { randomInt } from 'node:crypto'
import type { CDPSession } from 'playwright-core'
import { bytesOf, drawAsMuchAs, type Part, type Size, takeFrame } from './window.ts'

/** What cannot be compressed takes so much, and a little for each row. */
const MOST_BYTES_A_PIXEL = 3
/** A part of a picture that is weighed by itself. */
const PART_PIXELS = 1_048_576
/** So much of a picture is weighed at least; the rest as well, unless it is far from too large by then. */
const SHARE = 1 / 4
const FAR = 1 / 2
/** Parts are compressed by themselves, and so a little less. */
const CLEARLY = 1.1

/** Whether a picture of this size may be larger than that at all. */
export function mayExceed({ width, height }: Size, maxBytes: number): boolean {
  return (width * MOST_BYTES_A_PIXEL + 1) * height > maxBytes
}

/**
 * How many bytes a picture of the page has about, where that is clearly more than `maxBytes`. The picture is not taken for that:
 * parts of it are, in an order that no page can foresee.
 */
export async function findExcess(
  session: CDPSession,
  size: Size,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<number | undefined> {
  const parts = shuffle(split(size))
  let [rows, bytes] = [0, 0]
  for (const [index, part] of parts.entries()) {
    signal.throwIfAborted()
    await drawAsMuchAs(session, part)
    bytes += bytesOf(await takeFrame(session, part))
    rows += part.height
    const all = (bytes / rows) * size.height
    if (bytes > maxBytes * CLEARLY) return all
    if (index + 1 >= parts.length * SHARE && all < maxBytes * FAR) break
  }
  return undefined
}

function split({ width, height }: Size): Part[] {
  const rows = Math.max(1, Math.floor(PART_PIXELS / width))
  return Array.from({ length: Math.ceil(height / rows) }, (_, index) => {
    const y = index * rows
    return { y, width, height: Math.min(rows, height - y) }
  })
}

function shuffle<T>(all: T[]): T[] {
  for (let last = all.length - 1; last > 0; last--) {
    const other = randomInt(last + 1)
    ;[all[last], all[other]] = [all[other] as T, all[last] as T]
  }
  return all
}
