/** Runs a task when there is room for so many pixels. */
export type PixelRoom = <T>(pixels: number, task: () => Promise<T>) => Promise<T>

/** First come, first served; what is larger than all of the room is alone in it. */
export function createPixelRoom(size: number): PixelRoom {
  const waiting: { readonly need: number; readonly begin: () => void }[] = []
  let free = size
  const beginThoseThatFit = () => {
    for (let next = waiting[0]; next && next.need <= free; next = waiting[0]) {
      waiting.shift()
      free -= next.need
      next.begin()
    }
  }
  return async (pixels, task) => {
    const need = Math.min(pixels, size)
    await new Promise<void>((begin) => {
      waiting.push({ need, begin })
      beginThoseThatFit()
    })
    try {
      return await task()
    } finally {
      free += need
      beginThoseThatFit()
    }
  }
}
