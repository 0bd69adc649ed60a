import { PNG_END } from '../../../src/images/disk/open-image.ts'

/** No picture, but a file that ends as a PNG does. */
export function pngOf(content: string): Buffer {
  return Buffer.concat([Buffer.from(content), PNG_END])
}
