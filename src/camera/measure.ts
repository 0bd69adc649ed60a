import { randomInt } from 'node:crypto'
import type { CDPSession } from 'playwright-core'
import { bytesOf, drawAsMuchAs, type Part, type Size, takeFrame, type View } from './window.ts'

/** A picture that cannot be compressed has so many bytes, and one more for each row. */
const MOST_BYTES_A_PIXEL = 3
/** The size of a part whose bytes are measured, in pixels of the picture. */
const PART_PIXELS = 1_048_576
/** At least this share of a picture is measured. It stops there if the estimate is below `FAR` of the limit. */
const SHARE = 1 / 4
const FAR = 1 / 2
/** Parts compress a little worse than the whole picture. */
const CLEARLY = 1.1

/** Whether a picture of this size can exceed `maxBytes`. */
export function mayExceed({ width, height }: Size, maxBytes: number): boolean {
  return (width * MOST_BYTES_A_PIXEL + 1) * height > maxBytes
}

/**
 * About how many bytes a picture of the page has, if that is clearly more than `maxBytes`. Else undefined. It takes parts
 * of the picture, in a random order so that no page can prepare for it.
 */
export async function findExcess(
  session: CDPSession,
  view: View,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<number | undefined> {
  const parts = shuffle(split(view))
  let [rows, bytes] = [0, 0]
  for (const [index, part] of parts.entries()) {
    signal.throwIfAborted()
    await drawAsMuchAs(session, part)
    bytes += bytesOf(await takeFrame(session, part, view.zoom))
    rows += part.height
    const all = (bytes / rows) * view.height
    if (bytes > maxBytes * CLEARLY) return all
    if (index + 1 >= parts.length * SHARE && all < maxBytes * FAR) break
  }
  return undefined
}

function split({ width, height, scale, x, y }: View): Part[] {
  const rows = Math.max(1, Math.floor(PART_PIXELS / (width * scale) / scale))
  return Array.from({ length: Math.ceil(height / rows) }, (_, index) => {
    const top = index * rows
    return { ...(x && { x }), y: y + top, width, height: Math.min(rows, height - top) }
  })
}

function shuffle<T>(all: T[]): T[] {
  for (let last = all.length - 1; last > 0; last--) {
    const other = randomInt(last + 1)
    ;[all[last], all[other]] = [all[other] as T, all[last] as T]
  }
  return all
}
