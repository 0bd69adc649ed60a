import { load } from './load.ts'

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
