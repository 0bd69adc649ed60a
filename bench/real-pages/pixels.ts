import sharp from 'sharp'

/** Three bytes for each pixel, row by row. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly data: Buffer
}

const CHANNELS = 3
/** Further apart than this in one colour, two pixels differ for the eye. */
const TOLERANCE = 32

export async function decode(picture: Buffer): Promise<Pixels> {
  const { data, info } = await sharp(picture, { limitInputPixels: false })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  if (info.channels !== CHANNELS) throw new Error(`a picture with ${info.channels} channels`)
  return { width: info.width, height: info.height, data }
}

export async function encode({ width, height, data }: Pixels): Promise<Buffer> {
  const raw = { width, height, channels: CHANNELS } as const
  return await sharp(data, { raw, limitInputPixels: false }).png({ compressionLevel: 3 }).toBuffer()
}

/** Where a pixel begins. */
export function offsetOf({ width }: Pixels, x: number, y: number): number {
  return (y * width + x) * CHANNELS
}

export function rowOf(pixels: Pixels, y: number): Buffer {
  return pixels.data.subarray(offsetOf(pixels, 0, y), offsetOf(pixels, 0, y + 1))
}

/** The same to the last bit. */
export function sameRow(one: Pixels, y: number, other: Pixels, otherY: number): boolean {
  return rowOf(one, y).equals(rowOf(other, otherY))
}

/** By more than the eye forgives, or than `tolerance`. */
export function differs(
  one: Buffer,
  at: number,
  other: Buffer,
  otherAt: number,
  tolerance = TOLERANCE,
): boolean {
  for (let channel = 0; channel < CHANNELS; channel++) {
    const apart = (one[at + channel] ?? 0) - (other[otherAt + channel] ?? 0)
    if (apart > tolerance || -apart > tolerance) return true
  }
  return false
}
