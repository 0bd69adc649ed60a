import type { Sharp, SharpOptions } from 'sharp'
import { AppError } from './errors.ts'
import { createLimiter } from './limiter.ts'

/** The width of a preview. A smaller picture keeps its width. */
export const PREVIEW_WIDTH = 400
/** The formats that are accepted. All are stored as PNG. */
const PICTURE_FORMATS = ['png', 'jpeg', 'webp'] as const
/** Larger pictures are processed one at a time: an interlaced one needs up to 8 bytes per pixel. */
const LARGE_PIXELS = 16_000_000

export interface Picture {
  /** PNG. */
  readonly bytes: Buffer
  readonly width: number
  readonly height: number
  /** PNG. */
  readonly preview: Buffer
}

/**
 * Decodes a picture completely, and returns it as PNG with a preview. A PNG is kept byte for byte. Throws `bad_request` with
 * the reason if it cannot be decoded.
 */
export async function readPicture(bytes: Buffer, maxPixels: number): Promise<Picture> {
  const decode = () => load(bytes, { limitInputPixels: maxPixels, failOn: 'warning' })
  try {
    const { format, width, height } = await (await load(bytes, { limitInputPixels: false })).metadata()
    if (!PICTURE_FORMATS.some((known) => known === format)) {
      throw new AppError('bad_request', `is ${format}, not ${PICTURE_FORMATS.join(', ')}`)
    }
    if (width * height > maxPixels) {
      throw new AppError(
        'bad_request',
        `is ${width} × ${height} pixels, more than MAX_PICTURE_PIXELS (${maxPixels})`,
      )
    }
    const convert = async (): Promise<Picture> => {
      if (format === 'png') {
        if (!endsProperly(bytes)) throw new Error('it is cut off')
        // Making the preview decodes every row. Only that proves that the file is complete.
        return { bytes, width, height, preview: await makePreview(await decode()) }
      }
      const { data, info } = await (await decode()).autoOrient().png().toBuffer({ resolveWithObject: true })
      return {
        bytes: data,
        width: info.width,
        height: info.height,
        preview: await makePreview(await load(data)),
      }
    }
    return width * height > LARGE_PIXELS ? await oneAtATime(convert) : await convert()
  } catch (error) {
    if (error instanceof AppError) throw error
    const lines = (error as Error).message.split('\n')
    // The error of the last step comes first, but the first step's error is the reason.
    const reason = lines.find((line) => !line.startsWith('vips2png')) ?? lines[0]
    throw new AppError('bad_request', `is not a whole picture (${reason})`, { cause: error })
  }
}

/** sharp is loaded with the first picture: a process that only serves saves its memory and loading time. */
async function load(bytes: Buffer, options?: SharpOptions): Promise<Sharp> {
  const { default: sharp } = await import('sharp')
  return sharp(bytes, options)
}

async function makePreview(picture: Sharp): Promise<Buffer> {
  return await picture.resize({ width: PREVIEW_WIDTH, withoutEnlargement: true }).png().toBuffer()
}

/** The decoder accepts a PNG without its last chunk, and even without the checksum of its last rows. */
function endsProperly(png: Buffer): boolean {
  let at = 8
  while (at + 12 <= png.length) {
    const length = png.readUInt32BE(at)
    const type = png.toString('latin1', at + 4, at + 8)
    at += 12 + length
    if (type === 'IEND') return at <= png.length
  }
  return false
}

const oneAtATime = createLimiter(1)

/** Three bytes a pixel. */
export interface Pixels {
  readonly data: Buffer
  readonly width: number
  readonly height: number
}

export async function readSize(bytes: Buffer): Promise<{ width: number; height: number }> {
  const { width, height } = await (await load(bytes, { limitInputPixels: false })).metadata()
  return { width, height }
}

/** The pixels of a picture, or of some of its rows. Rows above these are decoded but not kept. */
export async function readPixels(
  bytes: Buffer,
  rows?: { readonly top: number; readonly width: number; readonly height: number },
): Promise<Pixels> {
  const picture = await load(bytes, { limitInputPixels: false })
  if (rows) picture.extract({ left: 0, ...rows })
  const { data, info } = await picture.removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}
