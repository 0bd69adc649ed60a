import sharp from 'sharp'
import type { Finish } from '../../src/contract/picture-sizes.ts'
import { finishPicture } from '../../src/picture/finish.ts'

const RULES = { maxPixels: 67_108_864, signal: new AbortController().signal }

/** A PNG of one colour. */
export async function plain(width: number, height: number, background = '#ffffff'): Promise<Buffer> {
  return await sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer()
}

/** A PNG whose pixels say where they are: red is 10 × x, green is 10 × y. */
export async function graded(width: number, height: number): Promise<Buffer> {
  const data = Buffer.from(
    Array.from({ length: width * height }, (_, at) => [
      10 * (at % width),
      10 * Math.floor(at / width),
      0,
    ]).flat(),
  )
  return await sharp(data, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer()
}

export interface Finished {
  readonly size: readonly [number, number]
  readonly channels: number
  /** Red, green, blue and alpha. */
  at(x: number, y: number): number[]
  alpha(x: number, y: number): number
  /** How many opaque pixels all pixels together are. */
  opaque(): number
}

export async function finish(png: Buffer, options: Finish, rules = RULES): Promise<Finished> {
  return await look(await finishPicture(png, options, rules))
}

export async function look(png: Buffer): Promise<Finished> {
  const { channels } = await sharp(png).metadata()
  const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const at = (x: number, y: number) => {
    const from = (y * info.width + x) * 4
    return [...data.subarray(from, from + 4)]
  }
  return {
    size: [info.width, info.height],
    channels,
    at,
    alpha: (x, y) => at(x, y)[3] ?? Number.NaN,
    opaque: () => data.reduce((sum, value, index) => (index % 4 === 3 ? sum + value : sum), 0) / 255,
  }
}

/** The share of a bell curve that is below `deviations`. */
export function bellBelow(deviations: number): number {
  // Simpson's rule over eight deviations.
  const [from, steps] = [-8, 2_000]
  const width = (deviations - from) / steps
  const bell = (x: number) => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)
  const sum = Array.from({ length: steps + 1 }, (_, index) => {
    const weight = index === 0 || index === steps ? 1 : index % 2 === 1 ? 4 : 2
    return weight * bell(from + index * width)
  })
  return (sum.reduce((all, each) => all + each, 0) * width) / 3
}
