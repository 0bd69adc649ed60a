import { CaptureFailure } from '../camera/camera.ts'
import type { PageOptions } from '../contract/capture-options.ts'
import { finishPicture, TooManyPixels } from '../picture/finish.ts'

interface Rules {
  readonly limits: { readonly picturePixels: number; readonly captureBytes: number }
  readonly signal: AbortSignal
}

/** The picture of a page as it was asked for: cropped, framed, with its effects. Throws CaptureFailure `too_large`. */
export async function finishShot(
  png: Buffer,
  options: PageOptions,
  { limits, signal }: Rules,
): Promise<Buffer> {
  const { picturePixels: maxPixels, captureBytes } = limits
  const finished = await finishPicture(png, options, { maxPixels, signal }).catch((error) => {
    throw error instanceof TooManyPixels ? new CaptureFailure('too_large', error.message) : error
  })
  if (finished !== png && finished.length > captureBytes) {
    const detail = `The finished picture has ${finished.length} bytes, more than ${captureBytes} (MAX_CAPTURE_BYTES).`
    throw new CaptureFailure('too_large', detail)
  }
  return finished
}
