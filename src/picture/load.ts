import type { Sharp, SharpInput, SharpOptions } from 'sharp'

/** sharp is loaded with the first picture: a process that only serves saves its memory and loading time. */
export async function load(picture: SharpInput | SharpOptions, options?: SharpOptions): Promise<Sharp> {
  const { default: sharp } = await import('sharp')
  return sharp(picture as SharpInput, options)
}
