import { PNG_END } from '../../../src/images/disk/open-image.ts'

/** Not a picture, but a file with the end of a PNG. */
export function pngOf(content: string): Buffer {
  return Buffer.concat([Buffer.from(content), PNG_END])
}
