import type { Sharp, SharpOptions } from 'sharp'
import { AppError } from './errors.ts'

/** Previews are this wide, or as wide as the picture where that is less. */
const PREVIEW_WIDTH = 400
/** What is taken in; everything is stored as PNG. */
export const PICTURE_FORMATS = ['png', 'jpeg', 'webp'] as const

export interface Picture {
  /** PNG. */
  readonly bytes: Buffer
  readonly width: number
  readonly height: number
  /** PNG. */
  readonly preview: Buffer
}

/**
 * A picture that decodes from its first to its last pixel, as PNG with a preview. A PNG is kept byte for byte.
 * Throws `bad_request` with the reason where the bytes are no such picture.
 */
export async function readPicture(bytes: Buffer, maxPixels: number): Promise<Picture> {
  const decode = () => load(bytes, { limitInputPixels: maxPixels, failOn: 'warning' })
  try {
    const { format, width, height } = await (await decode()).metadata()
    if (!PICTURE_FORMATS.some((known) => known === format)) {
      throw new AppError('bad_request', `is ${format}, not ${PICTURE_FORMATS.join(', ')}`)
    }
    if (format === 'png') {
      // Making the preview decodes every row, which is the only proof that the file is whole.
      return { bytes, width, height, preview: await makePreview(await decode()) }
    }
    const { data, info } = await (await decode()).autoOrient().png().toBuffer({ resolveWithObject: true })
    return {
      bytes: data,
      width: info.width,
      height: info.height,
      preview: await makePreview(await load(data)),
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    const reason = (error as Error).message.split('\n')[0]
    throw new AppError('bad_request', `is not a whole picture (${reason})`, { cause: error })
  }
}

export async function drawSvg(svg: string): Promise<Buffer> {
  return await (await load(Buffer.from(svg))).png().toBuffer()
}

/** sharp comes with the first picture: a process that only serves needs neither its memory nor its loading time. */
async function load(bytes: Buffer, options?: SharpOptions): Promise<Sharp> {
  const { default: sharp } = await import('sharp')
  return sharp(bytes, options)
}

async function makePreview(picture: Sharp): Promise<Buffer> {
  return await picture.resize({ width: PREVIEW_WIDTH, withoutEnlargement: true }).png().toBuffer()
}
