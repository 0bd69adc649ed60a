import type { OverlayOptions } from 'sharp'
import type { Style } from '../contract/options/finish.ts'
import type { Size } from '../contract/picture-sizes.ts'
import { addLayers, extend, type Operation } from './operations.ts'

// The title bar of a window of macOS: the colours and proportions of the system since version 11.

type Color = { readonly r: number; readonly g: number; readonly b: number; readonly alpha: number }

const gray = (shade: number, alpha = 1): Color => ({ r: shade, g: shade, b: shade, alpha })

/** The bar, the line under it, and the light on its upper edge. */
const LOOKS: Record<Style, Record<'bar' | 'line' | 'edge', Color>> = {
  'macos-simple-dark': { bar: { r: 56, g: 56, b: 58, alpha: 1 }, line: gray(0, 0.45), edge: gray(255, 0.14) },
  'macos-simple-light': { bar: gray(246), line: gray(0, 0.12), edge: gray(255, 0.6) },
}

/** Close, minimise, zoom: each with its rim. */
const DOTS = [
  ['#ff5f57', '#e0443e'],
  ['#febc2e', '#dea123'],
  ['#28c840', '#1aab29'],
] as const

// In pixels of the page.
const DOT = 12
const FIRST_DOT = 20
const NEXT_DOT = 20
const RADIUS = 10

/** Puts a title bar of this height above a picture. `size` is that of the picture without it. */
export function frame(style: Style, { width, height }: Size, bar: number, scale: number): Operation[] {
  const { bar: background, line, edge } = LOOKS[style]
  const hair = Math.max(1, Math.round(scale / 2))
  const framed = { width, height: height + bar }
  return [
    extend({ top: bar, bottom: 0, left: 0, right: 0, background }),
    addLayers([
      rule(width, hair, edge, 0),
      rule(width, hair, line, bar - hair),
      ...dots(width, bar, scale),
      ...roundCorners(framed, RADIUS * scale, UPPER_CORNERS),
    ]),
  ]
}

function rule(width: number, height: number, background: Color, top: number): OverlayOptions {
  return { input: { create: { width, height, channels: 4, background } }, left: 0, top }
}

/** The dots that a picture of this width has room for. */
function dots(width: number, bar: number, scale: number): OverlayOptions[] {
  const room = Math.floor((width / scale - FIRST_DOT - DOT / 2) / NEXT_DOT) + 1
  const shown = DOTS.slice(0, Math.max(0, room))
  if (shown.length === 0) return []
  const circles = shown.map(
    ([fill, rim], index) =>
      `<circle cx="${FIRST_DOT + index * NEXT_DOT}" cy="${bar / scale / 2}" r="${DOT / 2 - 0.25}" fill="${fill}" ` +
      `stroke="${rim}" stroke-width="0.5"/>`,
  )
  const right = Math.min(width, Math.ceil((FIRST_DOT + shown.length * NEXT_DOT) * scale))
  return [
    {
      input: Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="${right}" height="${bar}" ` +
          `viewBox="0 0 ${right / scale} ${bar / scale}">${circles.join('')}</svg>`,
      ),
      left: 0,
      top: 0,
    },
  ]
}

type Corner = 'upper left' | 'upper right' | 'lower left' | 'lower right'

const UPPER_CORNERS: readonly Corner[] = ['upper left', 'upper right']
const ALL_CORNERS: readonly Corner[] = [...UPPER_CORNERS, 'lower left', 'lower right']

/** Makes what is outside of round corners transparent. The radius is at most half of a side. */
export function roundCorners(
  { width, height }: Size,
  wanted: number,
  corners: readonly Corner[] = ALL_CORNERS,
): OverlayOptions[] {
  const radius = Math.min(wanted, width / 2, height / 2)
  if (radius <= 0) return []
  const side = Math.ceil(radius)
  return corners.map((corner) => {
    const [isLower, isRight] = [corner.startsWith('lower'), corner.endsWith('right')]
    const mirror = `translate(${isRight ? side : 0} ${isLower ? side : 0}) scale(${isRight ? -1 : 1} ${isLower ? -1 : 1})`
    return {
      input: Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}">` +
          `<path transform="${mirror}" d="M0 0H${radius}A${radius} ${radius} 0 0 0 0 ${radius}Z"/></svg>`,
      ),
      left: isRight ? width - side : 0,
      top: isLower ? height - side : 0,
      blend: 'dest-out',
    }
  })
}
