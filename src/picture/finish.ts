import type { Sharp } from 'sharp'
import type { Area, Effect } from '../contract/options/finish.ts'
import {
  type Finish,
  halfOf,
  knownSize,
  planSizes,
  type Size,
  scaleOf,
  titleBarOf,
} from '../contract/picture-sizes.ts'
import { firstExcess } from '../contract/too-many-pixels.ts'
import { blur } from './blur.ts'
import { frame, roundCorners } from './frame.ts'
import { passInTurn } from './in-turn.ts'
import { load } from './load.ts'
import { addLayers, crop, type InPass, LAST, margin, type Operation, resize } from './operations.ts'
import { readSize } from './pixels.ts'
import { shadow } from './shadow.ts'

/** Finishing would make the picture too large. The message is a sentence for clients. */
export class TooManyPixels extends Error {
  override readonly name = 'TooManyPixels'
}

/**
 * Crops a picture, frames it, and does its effects. A picture that nothing is done to is returned as it is. Between two passes
 * the picture is a PNG, as sharp reads and writes that row by row: no whole picture is in memory.
 */
export async function finishPicture(
  png: Buffer,
  finish: Finish,
  { maxPixels, signal }: { maxPixels: number; signal: AbortSignal },
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
  return steps.map(({ size: { width, height } }) => ({ width: width.least, height: height.least }))
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
    ...(area ? [(size: Size) => [cropTo(area, size)]] : []),
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
      return before.width === after.width && before.height === after.height ? [] : [resize(after)]
    case 'roundcorners': {
      const layers = roundCorners(before, effect.options.radius)
      return layers.length > 0 ? [addLayers(layers)] : []
    }
    case 'margin':
      return margin(effect.options?.margin ?? 0)
    case 'shadow':
      return shadow(before, effect.options)
  }
}

type Part = 'first' | 'middle' | 'last' | 'all'

/** Which part of the width and of the height. */
const PARTS: Record<Area, readonly [Part, Part]> = {
  topleft: ['first', 'first'],
  topright: ['last', 'first'],
  bottomleft: ['first', 'last'],
  bottomright: ['last', 'last'],
  centercenter: ['middle', 'middle'],
  upperhalf: ['all', 'first'],
  lowerhalf: ['all', 'last'],
  leftside: ['first', 'all'],
  rightside: ['last', 'all'],
}

function cropTo(area: Area, { width, height }: Size): Operation {
  const [across, down] = PARTS[area]
  const [left, top] = [startOf(across, width), startOf(down, height)]
  return crop({ left, top, width: lengthOf(across, width), height: lengthOf(down, height) })
}

function lengthOf(part: Part, side: number): number {
  return part === 'all' ? side : halfOf(side)
}

function startOf(part: Part, side: number): number {
  const rest = side - lengthOf(part, side)
  return part === 'last' ? rest : part === 'middle' ? Math.floor(rest / 2) : 0
}

/** Puts operations together that one pass can do. */
function toPasses(operations: readonly Operation[]): Operation[][] {
  const passes: Operation[][] = []
  for (const operation of operations) {
    const last = passes.at(-1)
    const before = last?.at(-1)
    if (last && before && mayFollow(operation, before)) last.push(operation)
    else passes.push([operation])
  }
  return passes
}

/** Within a pass ranks grow. Whatever follows the beginning of a pass comes after it. */
function mayFollow({ rank }: Operation, before: Operation): boolean {
  if (rank === 'first') return false
  return rank === LAST || (before.rank !== 'first' && rank > before.rank)
}

/** One pass of sharp over a picture. */
async function runPass(png: Buffer, pass: readonly Operation[]): Promise<Sharp> {
  const [first] = pass
  const begun: InPass =
    first?.rank === 'first'
      ? await first.begin(png)
      : { picture: await load(png, { limitInputPixels: false }), layers: [] }
  for (const operation of pass) if (operation.rank !== 'first') operation.do(begun)
  const { picture, layers } = begun
  return layers.length > 0 ? picture.composite(layers) : picture
}
