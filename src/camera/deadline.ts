import type { Size } from '../contract/picture-sizes.ts'

/** Time for everything except loading: opening the page, and the picture itself. */
export const GRACE_MS = 20_000
/** Pictures up to this size are drawn within the grace. */
const SMALL_PIXELS = 1_920 * 1_080
/** Beyond that, a million pixels may take so much longer. A machine with nothing else to do needs a twentieth of it. */
const DRAW_MS = 3_000

/** How much longer it may take to draw this size than to draw a small picture. */
export function drawMsOf({ width, height }: Size): number {
  return Math.ceil((Math.max(0, width * height - SMALL_PIXELS) / 1_000_000) * DRAW_MS)
}

/** The time until which a page must be captured. Large pictures have more of it. */
export class Deadline {
  readonly #onOver: () => void
  #end: number
  #more = 0
  #timer: NodeJS.Timeout | undefined
  #isOver = false
  /** The picture that is being drawn. */
  drawing: Size | undefined

  constructor(milliseconds: number, onOver: () => void) {
    this.#onOver = onOver
    this.#end = performance.now() + milliseconds
    this.#start()
  }

  /** The time that was added for the pixels, in milliseconds. */
  get more(): number {
    return this.#more
  }

  /** Adds time for pixels that are going to be drawn. */
  allowFor(size: Size): void {
    const more = drawMsOf(size) - this.#more
    if (more <= 0) return
    this.#more += more
    this.#end += more
    this.#start()
  }

  /** The time that a page waits for other pages does not count. */
  async without<T>(waiting: Promise<T>): Promise<T> {
    const began = performance.now()
    clearTimeout(this.#timer)
    try {
      return await waiting
    } finally {
      this.#end += performance.now() - began
      this.#start()
    }
  }

  clear(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  #start(): void {
    clearTimeout(this.#timer)
    if (!this.#isOver) this.#timer = setTimeout(this.#onOver, this.#end - performance.now())
  }
}
