import type { Effect } from '../contract/options/finish.ts'
import {
  type Finish,
  knownSize,
  type PlannedSize,
  planSizes,
  type Size,
  scaleOf,
  titleBarOf,
} from '../contract/picture-sizes.ts'
import { firstExcess } from '../contract/too-many-pixels.ts'
import { blur } from './blur.ts'
import { roundCorners } from './corners.ts'
import { crop } from './crop.ts'
import { frame } from './frame.ts'
import { passInTurn } from './in-turn.ts'
import { margin } from './margin.ts'
import type { Operation } from './operations.ts'
import { runPass, toPasses } from './passes.ts'
import { readSize } from './pixels.ts'
import { shadow } from './shadow.ts'

/** Finishing would make the picture too large. The message is a sentence for clients. */
export class TooManyPixels extends Error {
  override readonly name = 'TooManyPixels'
}

export interface FinishRules {
  readonly maxPixels: number
  readonly signal: AbortSignal
}

/**
 * Crops a picture, frames it, and does its effects. A picture that nothing is done to is returned as it is. Between two passes
 * the picture is a PNG, as sharp reads and writes that row by row: no whole picture is in memory.
 */
export async function finishPicture(
  png: Buffer,
  finish: Finish,
  { maxPixels, signal }: FinishRules,
): Promise<Buffer> {
  if (!finish.area && !finish.style && !finish.effects) return png
  const taken = await readSize(png)
  const sizes = requireFewPixels(taken, finish, maxPixels)
  const passes = toPasses(operationsOf(taken, sizes, finish))
  const pixels = Math.max(...[taken, ...sizes].map(({ width, height }) => width * height))
  let bytes = png
  for (const [index, pass] of passes.entries()) {
    const isLast = index === passes.length - 1
    bytes = await passInTurn(pixels, async () => {
      signal.throwIfAborted()
      return await (await runPass(bytes, pass)).png(isLast ? {} : { compressionLevel: 1 }).toBuffer()
    })
  }
  return bytes
}

/** The sizes after each step. Throws TooManyPixels. */
function requireFewPixels(taken: Size, finish: Finish, maxPixels: number): Size[] {
  const steps = planSizes(knownSize(taken.width, taken.height), finish)
  const excess = firstExcess(steps, maxPixels)
  if (excess) throw new TooManyPixels(`${nameOf(excess.place, finish)} ${excess.detail}.`)
  return steps.map(({ size }) => sizeOf(size))
}

function sizeOf({ width, height }: PlannedSize): Size {
  return { width: width.least, height: height.least }
}

function nameOf(place: string, { style, effects = [] }: Finish): string {
  const [option, index] = place.split('/')
  if (index === undefined) return option === 'style' ? `The style ${style}` : 'The area'
  return `Effect ${Number(index) + 1} (${effects[Number(index)]?.effect})`
}

type ToOperations = (before: Size, after: Size) => Operation[]

/** `sizes` are those after each step. */
function operationsOf(taken: Size, sizes: readonly Size[], finish: Finish): Operation[] {
  const { area, style, effects = [] } = finish
  const steps: ToOperations[] = [
    ...(area ? [(size: Size) => [crop(area, size)]] : []),
    ...(style ? [(size: Size) => frame(style, size, titleBarOf(finish), scaleOf(finish))] : []),
    ...effects.map(
      (effect): ToOperations =>
        (before, after) =>
          operationsOfEffect(effect, before, after),
    ),
  ]
  return steps.flatMap((step, index) => step(sizes[index - 1] ?? taken, sizes[index] ?? taken))
}

function operationsOfEffect(effect: Effect, before: Size, after: Size): Operation[] {
  switch (effect.effect) {
    case 'blur':
      return blur(before, effect.options.radius)
    case 'resize':
      return before.width === after.width && before.height === after.height
        ? []
        : [{ do: 'resize', ...after }]
    case 'roundcorners': {
      const layers = roundCorners(before, effect.options.radius)
      return layers.length > 0 ? [{ do: 'layers', layers }] : []
    }
    case 'margin':
      return margin(effect.options?.margin ?? 0)
    case 'shadow':
      return shadow(before, effect.options)
  }
}
