import type { CaptureOptions, OwnOptions } from './capture-options.ts'
import type { Mistake } from './check.ts'
import { optionsOfPage } from './options-of-page.ts'
import { type PlannedSize, planSizes, type SizeStep, sizeToBeTaken } from './picture-sizes.ts'

/** Each step of finishing goes over the whole picture. All steps together make at most this many times the pixels of the largest picture. */
const LARGEST_IN_ALL = 10

/** A page of a request: its place in `urls`, and its own options. */
interface PlacedPage {
  readonly index: number
  readonly ownOptions?: OwnOptions
}

/** Steps of finishing that would make a picture too large, as far as that is known before it is taken. */
export function findTooManyPixels(
  options: CaptureOptions,
  pages: readonly PlacedPage[],
  maxPixels: number,
): Mistake[] {
  const mistakes = new Map<string, Mistake>()
  for (const { index, ownOptions = {} } of pages) {
    const all = optionsOfPage(options, ownOptions)
    const excess = firstExcess(planSizes(sizeToBeTaken(all, maxPixels), all), maxPixels)
    if (!excess) continue
    const { place, detail } = excess
    const [option = ''] = place.split('/')
    const owner = option in ownOptions ? `urls/${index}` : 'screenshotParameter'
    const pointer = `#/${owner}/${place}`
    if (!mistakes.has(pointer)) mistakes.set(pointer, { pointer, detail })
  }
  return [...mistakes.values()]
}

/** The first step that makes the picture too large, or with which all steps make too many pixels. */
export function firstExcess(
  steps: readonly SizeStep[],
  maxPixels: number,
): { readonly place: string; readonly detail: string } | undefined {
  let all = 0
  for (const { place, size } of steps) {
    const pixels = size.width.least * size.height.least
    if (pixels > maxPixels) return { place, detail: tooManyPixels(size, maxPixels) }
    all += pixels
    if (all > LARGEST_IN_ALL * maxPixels) return { place, detail: tooManyInAll(size, all, maxPixels) }
  }
  return undefined
}

function tooManyPixels(size: PlannedSize, maxPixels: number): string {
  const { width, height } = size
  return `makes the picture ${leastOf(size)}${width.least} × ${height.least} pixels, more than MAX_PICTURE_PIXELS (${maxPixels})`
}

function tooManyInAll(size: PlannedSize, all: number, maxPixels: number): string {
  return (
    `makes ${leastOf(size)}${all} pixels together with the steps before it, more than ${LARGEST_IN_ALL} × MAX_PICTURE_PIXELS ` +
    `(${maxPixels})`
  )
}

function leastOf({ width, height }: PlannedSize): string {
  return width.isKnown && height.isKnown ? '' : 'at least '
}
