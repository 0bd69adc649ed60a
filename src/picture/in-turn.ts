import { createLimiter } from '../work/limiter.ts'

/** Larger pictures are processed one at a time: an interlaced one needs up to 8 bytes per pixel. */
const LARGE_PIXELS = 16_000_000
/** Node has four threads for sharp, files and DNS together. Finishing takes long, and leaves some of them to the others. */
const FINISHED_AT_ONCE = 2

const oneAtATime = createLimiter(1)
const twoAtATime = createLimiter(FINISHED_AT_ONCE)

/** Works on a picture of this many pixels as soon as there is memory for it. */
export async function inTurn<T>(pixels: number, task: () => Promise<T>): Promise<T> {
  return pixels > LARGE_PIXELS ? await oneAtATime(task) : await task()
}

/** The same for one pass of finishing: pictures with many passes take turns with others. */
export async function passInTurn<T>(pixels: number, task: () => Promise<T>): Promise<T> {
  return pixels > LARGE_PIXELS ? await oneAtATime(task) : await twoAtATime(task)
}
