import type { PageOptions } from './capture-options.ts'
import { DEVICES } from './options/devices.ts'
import type { Effect } from './options/finish.ts'

// How large a picture is after each step of its finishing: first the area, then the style, then the effects. The size that it
// was taken in may not be known yet: then each size is the least that it can be.

/** Height of the title bar of a window, in pixels of the page. */
const TITLE_BAR = 36
export const DEFAULT_SHADOW_MARGIN = 40

export interface Size {
  readonly width: number
  readonly height: number
}

/** The length of a side in pixels. If it is not known, the least that it can be. */
interface Side {
  readonly least: number
  readonly isKnown: boolean
}

export interface PlannedSize {
  readonly width: Side
  readonly height: Side
}

export type Finish = Pick<PageOptions, 'area' | 'style' | 'effects' | 'device' | 'deviceScaleFactor'>

export interface SizeStep {
  /** Where the option of this step is: `area`, `style`, `effects/0`. */
  readonly place: string
  readonly size: PlannedSize
}

export function planSizes(taken: PlannedSize, finish: Finish): SizeStep[] {
  const { area, style, effects = [] } = finish
  const steps: SizeStep[] = []
  let size = taken
  const add = (place: string, next: PlannedSize) => {
    size = next
    steps.push({ place, size })
  }
  if (area) add('area', cropped(size, area))
  if (style) add('style', { ...size, height: grown(size.height, titleBarOf(finish)) })
  for (const [index, effect] of effects.entries()) add(`effects/${index}`, afterEffect(size, effect))
  return steps
}

export function knownSize(width: number, height: number): PlannedSize {
  return { width: known(width), height: known(height) }
}

/** The size that a picture of a page will be taken in. */
export function sizeToBeTaken(options: PageOptions, maxPixels: number): PlannedSize {
  const scale = scaleOf(options)
  const [width, height] = [options.width * scale, options.height * scale]
  // A window with more pixels than a picture may have is cut.
  if (options.element !== undefined || width * height > maxPixels)
    return { width: atLeast(1), height: atLeast(1) }
  // The browser rounds parts of a pixel up or down.
  const sideOf = (length: number) => (Number.isInteger(length) ? known(length) : atLeast(Math.floor(length)))
  return { width: sideOf(width), height: options.fullPage ? atLeast(Math.floor(height)) : sideOf(height) }
}

/** Pixels of the picture for one pixel of the page. */
export function scaleOf({ device, deviceScaleFactor }: Finish): number {
  return deviceScaleFactor ?? (device ? DEVICES[device][2] : 1)
}

export function titleBarOf(finish: Finish): number {
  return Math.round(TITLE_BAR * scaleOf(finish))
}

/** Half of a side. An odd one has its middle in both halves, so that all areas have the same size. */
export function halfOf(length: number): number {
  return Math.ceil(length / 2)
}

function cropped({ width, height }: PlannedSize, area: NonNullable<Finish['area']>): PlannedSize {
  const half = ({ least, isKnown }: Side) => ({ least: halfOf(least), isKnown })
  return {
    width: area === 'upperhalf' || area === 'lowerhalf' ? width : half(width),
    height: area === 'leftside' || area === 'rightside' ? height : half(height),
  }
}

function afterEffect(size: PlannedSize, effect: Effect): PlannedSize {
  switch (effect.effect) {
    case 'resize':
      return resized(size, effect.options)
    case 'margin':
      return grownBy(size, effect.options?.margin ?? 0)
    case 'shadow':
      return grownBy(size, effect.options?.margin ?? DEFAULT_SHADOW_MARGIN)
    default:
      return size
  }
}

function resized(size: PlannedSize, to: { width?: number; height?: number }): PlannedSize {
  return {
    width: to.width === undefined ? along(size.width, size.height, to.height) : known(to.width),
    height: to.height === undefined ? along(size.height, size.width, to.width) : known(to.height),
  }
}

/** A side that is scaled along with the other one. It has at least one pixel. */
function along(side: Side, other: Side, otherTo = other.least): Side {
  if (!other.isKnown) return atLeast(1)
  return { ...side, least: Math.max(1, Math.round((side.least * otherTo) / other.least)) }
}

function grownBy({ width, height }: PlannedSize, margin: number): PlannedSize {
  return { width: grown(width, 2 * margin), height: grown(height, 2 * margin) }
}

function grown({ least, isKnown }: Side, by: number): Side {
  return { least: least + by, isKnown }
}

function known(least: number): Side {
  return { least, isKnown: true }
}

function atLeast(least: number): Side {
  return { least, isKnown: false }
}
