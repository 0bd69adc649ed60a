import { measure, type Pixels } from './measure.ts'

export interface Pair {
  readonly before: Blob
  readonly after: Blob
}

export type Compared = { readonly share: number; readonly marked: ImageBitmap } | { readonly mistake: string }

// Compares one pair of pictures in a worker, so that the page stays responsive.
addEventListener('message', async ({ data: { before, after } }: MessageEvent<Pair>) => {
  const scope = self as unknown as { postMessage(message: Compared, transfer?: Transferable[]): void }
  try {
    const { share, marked } = measure(await readPixels(before), await readPixels(after))
    const canvas = new OffscreenCanvas(marked.width, marked.height)
    const image = new ImageData(marked.data as Uint8ClampedArray<ArrayBuffer>, marked.width)
    canvas.getContext('2d')?.putImageData(image, 0, 0)
    const bitmap = canvas.transferToImageBitmap()
    scope.postMessage({ share, marked: bitmap }, [bitmap])
  } catch (error) {
    scope.postMessage({ mistake: String(error) })
  }
})

async function readPixels(picture: Blob): Promise<Pixels> {
  const bitmap = await createImageBitmap(picture)
  const { width, height } = bitmap
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })
  if (!context) throw new Error('the browser does not have enough memory for this picture')
  context.drawImage(bitmap, 0, 0)
  bitmap.close()
  return { width, height, data: context.getImageData(0, 0, width, height).data }
}
