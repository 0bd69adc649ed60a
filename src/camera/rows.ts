import type { Size } from '../contract/picture-sizes.ts'
import { type Pixels, readPixels, readSize } from '../picture/pixels.ts'
import { inkOf, STRIP } from './strips.ts'

/** Pixels of a picture in memory at a time, three bytes each. */
const HELD_PIXELS = 16_000_000
/** A strip may be one row higher or lower. */
const SHIFT = 1

/** Reads the rows of a PNG, one band at a time. Undefined if the picture has another size. */
export async function openRows(bytes: Buffer, { width, height }: Size, heldPixels = HELD_PIXELS) {
  const found = await readSize(bytes)
  if (found.width !== width || found.height !== height) return undefined
  let held: (Pixels & { readonly top: number }) | undefined

  const read = async (top: number, count: number): Promise<Pixels> => {
    if (!held || top < held.top || top + count > held.top + held.height) {
      held = undefined
      held = { top, ...(await readPixels(bytes, { top, width, height: count })) }
    }
    return slice(held, top - held.top, count)
  }

  return {
    /** How much is drawn in each strip, from this row on. */
    async inkBelow(from: number): Promise<number[]> {
      const ink: number[] = []
      const most = Math.max(1, Math.floor(heldPixels / width / STRIP)) * STRIP
      // Includes the row above the first strip, for `around`.
      for (let top = from; top + STRIP <= height; top += most) {
        const above = Math.min(SHIFT, top)
        const count = Math.min(most + SHIFT, height - top) + above
        const band = await read(top - above, count)
        ink.push(...inkOf(slice(band, above, Math.min(most, height - top))))
      }
      return ink
    },
    /** The strip at `y` with one row above and below. The strip begins at row `top` of that part. */
    async around(y: number): Promise<{ part: Pixels; top: number }> {
      const first = Math.max(0, y - SHIFT)
      const end = Math.min(height, y + STRIP + SHIFT)
      return { part: await read(first, end - first), top: y - first }
    },
  }
}

function slice({ data, width }: Pixels, top: number, height: number): Pixels {
  const row = width * 3
  return { data: data.subarray(top * row, (top + height) * row), width, height }
}
