import type { Sharp } from 'sharp'
import { AppError } from '../errors.ts'
import { inTurn } from './in-turn.ts'
import { load } from './load.ts'

/** The width of a preview. A smaller picture keeps its width. */
export const PREVIEW_WIDTH = 400
/** The formats that are accepted. All are stored as PNG. */
const PICTURE_FORMATS = ['png', 'jpeg', 'webp'] as const

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
    return await inTurn(width * height, convert)
  } catch (error) {
    if (error instanceof AppError) throw error
    const lines = (error as Error).message.split('\n')
    // The error of the last step comes first, but the first step's error is the reason.
    const reason = lines.find((line) => !line.startsWith('vips2png')) ?? lines[0]
    throw new AppError('bad_request', `is not a whole picture (${reason})`, { cause: error })
  }
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
