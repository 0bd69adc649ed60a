import type { OutputInfo, OverlayOptions, Sharp } from 'sharp'
import type { Effect } from '../contract/options/finish.ts'
import { DEFAULT_SHADOW_MARGIN, type Size } from '../contract/picture-sizes.ts'
import { bell, isVisible, shrinkFor } from './blur.ts'
import { load } from './load.ts'
import { margin as addMargin, TRANSPARENT } from './margin.ts'
import type { Extend, Layers, Shadow } from './operations.ts'

type Options = NonNullable<Extract<Effect, { effect: 'shadow' }>['options']>
type Made = { readonly data: Buffer; readonly info: OutputInfo }
type Color = NonNullable<Options['color']>

const BLACK = { r: 0, g: 0, b: 0, a: 1 }
/** Further away from its edge a shadow cannot be seen. */
const REACH = 3

/** `size` is that of the picture without its shadow. */
export function shadow({ width, height }: Size, options: Options = {}): (Shadow | Extend | Layers)[] {
  const {
    margin = DEFAULT_SHADOW_MARGIN,
    blur = 15,
    offset = 0,
    opacity = 0.3,
    color = BLACK,
    bgColor,
  } = options
  const strength = opacity * color.a
  const canvas = { width: width + 2 * margin, height: height + 2 * margin }
  const background: Layers[] = bgColor?.a
    ? [{ do: 'layers', layers: [fill(canvas, bgColor, 'dest-over')] }]
    : []
  if (strength > 0)
    return [{ do: 'shadow', width, height, margin, sigma: blur, offset, strength, color }, ...background]
  return [...addMargin(margin), ...background]
}

function fill({ width, height }: Size, { r, g, b, a }: Color, blend: 'dest-over' | 'in'): OverlayOptions {
  const background = { r, g, b, alpha: a }
  return { input: { create: { width, height, channels: 4, background } }, left: 0, top: 0, blend }
}

/** Begins a pass: a canvas with the shadow, and the picture as a layer over it. */
export async function castShadow(
  png: Buffer,
  shadow: Shadow,
): Promise<{ picture: Sharp; layers: OverlayOptions[] }> {
  const { width, height, margin, sigma, offset, color } = shadow
  const times = isVisible(sigma) ? shrinkFor(sigma) : 1
  const around = Math.ceil((margin + offset + REACH * sigma) / times)
  const mask = await makeMask(await readAlpha(png, shadow, times), shadow, { times, around })
  const canvas = { width: width + 2 * margin, height: height + 2 * margin }
  return {
    picture: (await load(mask.data, { limitInputPixels: false }))
      // It is so smooth that straight lines between its pixels are enough.
      .resize({
        ...{ width: mask.info.width * times, height: mask.info.height * times },
        ...{ fit: 'fill', kernel: 'linear' },
      })
      .extract({ left: around * times - margin, top: around * times - margin - offset, ...canvas }),
    layers: [
      ...(isBlack(color) ? [] : [fill(canvas, { ...color, a: 1 }, 'in')]),
      { input: png, limitInputPixels: false, left: margin, top: margin },
    ],
  }
}

function isBlack({ r, g, b }: Shadow['color']): boolean {
  return r + g + b === 0
}

/** How opaque each pixel is, one byte a pixel. Transparent pixels are added until both sides can be divided by `times`. */
async function readAlpha(png: Buffer, { width, height }: Size, times: number): Promise<Made> {
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
  { times, around }: { times: number; around: number },
): Promise<Made> {
  const { width, height } = alpha.info
  const blurred = (await load(alpha.data, { raw: alpha.info, limitInputPixels: false }))
    .resize({ width: width / times, height: height / times, fit: 'fill' })
    .extend({ top: around, bottom: around, left: around, right: around, background: '#000' })
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
