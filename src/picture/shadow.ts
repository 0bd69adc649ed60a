import type { OverlayOptions } from 'sharp'
import type { Effect } from '../contract/options/finish.ts'
import { DEFAULT_SHADOW_MARGIN, type Size } from '../contract/picture-sizes.ts'
import { bell, isVisible, shrinkFor } from './blur.ts'
import { load } from './load.ts'
import { addLayers, margin as addMargin, type InPass, type Operation, TRANSPARENT } from './operations.ts'

type Options = NonNullable<Extract<Effect, { effect: 'shadow' }>['options']>
type Made = Awaited<ReturnType<typeof readAlpha>>
type Color = NonNullable<Options['color']>

const BLACK = { r: 0, g: 0, b: 0, a: 1 }
/** Further away from its edge a shadow cannot be seen. */
const REACH = 3

/** `size`: of the picture without its shadow. `sigma`: the standard deviation. `offset`: downwards. `strength`: from 0 to 1. */
interface Shadow {
  readonly size: Size
  readonly margin: number
  readonly sigma: number
  readonly offset: number
  readonly strength: number
  readonly color: Pick<Color, 'r' | 'g' | 'b'>
}

/** `size` is that of the picture without its shadow. */
export function shadow(size: Size, options: Options = {}): Operation[] {
  const {
    margin = DEFAULT_SHADOW_MARGIN,
    blur = 15,
    offset = 0,
    opacity = 0.3,
    color = BLACK,
    bgColor,
  } = options
  const strength = opacity * color.a
  const background = bgColor?.a ? [addLayers([fill(around(size, margin), bgColor, 'dest-over')])] : []
  if (strength === 0) return [...addMargin(margin), ...background]
  const cast = { size, margin, sigma: blur, offset, strength, color }
  return [{ rank: 'first', begin: (png) => castShadow(png, cast) }, ...background]
}

function around({ width, height }: Size, margin: number): Size {
  return { width: width + 2 * margin, height: height + 2 * margin }
}

function fill({ width, height }: Size, { r, g, b, a }: Color, blend: 'dest-over' | 'in'): OverlayOptions {
  const background = { r, g, b, alpha: a }
  return { input: { create: { width, height, channels: 4, background } }, left: 0, top: 0, blend }
}

/** A canvas with the shadow, and the picture as a layer over it. */
async function castShadow(png: Buffer, shadow: Shadow): Promise<InPass> {
  const { size, margin, sigma, offset, color } = shadow
  const times = isVisible(sigma) ? shrinkFor(sigma) : 1
  const edge = Math.ceil((margin + offset + REACH * sigma) / times)
  const mask = await makeMask(await readAlpha(png, size, times), shadow, { times, edge })
  const canvas = around(size, margin)
  return {
    picture: (await load(mask.data, { limitInputPixels: false }))
      // It is so smooth that straight lines between its pixels are enough.
      .resize({
        ...{ width: mask.info.width * times, height: mask.info.height * times },
        ...{ fit: 'fill', kernel: 'linear' },
      })
      .extract({ left: edge * times - margin, top: edge * times - margin - offset, ...canvas }),
    layers: [
      ...(color.r + color.g + color.b === 0 ? [] : [fill(canvas, { ...color, a: 1 }, 'in')]),
      { input: png, limitInputPixels: false, left: margin, top: margin },
    ],
  }
}

/** How opaque each pixel is, one byte a pixel. Transparent pixels are added until both sides can be divided by `times`. */
async function readAlpha(png: Buffer, { width, height }: Size, times: number) {
  const [right, bottom] = [width, height].map((side) => Math.ceil(side / times) * times - side)
  return await (await load(png, { limitInputPixels: false }))
    .extend({ right: right ?? 0, bottom: bottom ?? 0, background: TRANSPARENT })
    .ensureAlpha()
    .extractChannel('alpha')
    .raw()
    .toBuffer({ resolveWithObject: true })
}

/** A black shadow, so many times smaller than it will be: PNG. */
async function makeMask(
  alpha: Made,
  { sigma, strength }: Shadow,
  { times, edge }: { times: number; edge: number },
): Promise<Made> {
  const { width, height } = alpha.info
  const blurred = (await load(alpha.data, { raw: alpha.info, limitInputPixels: false }))
    .resize({ width: width / times, height: height / times, fit: 'fill' })
    .extend({ top: edge, bottom: edge, left: edge, right: edge, background: '#000' })
    // sharp cuts off what is behind the point.
    .linear(strength, 0.5)
    .toColourspace('b-w')
  if (isVisible(sigma)) blurred.blur(bell(sigma / times))
  const { data, info } = await blurred.raw().toBuffer({ resolveWithObject: true })
  const size = { width: info.width, height: info.height }
  return await (await load({ create: { ...size, channels: 3, background: '#000' } }))
    .joinChannel(data, { raw: { ...size, channels: 1 } })
    .png({ compressionLevel: 1 })
    .toBuffer({ resolveWithObject: true })
}
