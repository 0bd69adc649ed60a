import { type CaptureOptions, type OwnOptions, optionsOfPage } from './capture-options.ts'
import type { Mistake } from './check.ts'
import { type PlannedSize, planSizes, type SizeStep, sizeToBeTaken } from './picture-sizes.ts'

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
    const step = firstTooLarge(planSizes(sizeToBeTaken(all, maxPixels), all), maxPixels)
    if (!step) continue
    const [option = ''] = step.place.split('/')
    const owner = option in ownOptions ? `urls/${index}` : 'screenshotParameter'
    const pointer = `#/${owner}/${step.place}`
    if (!mistakes.has(pointer))
      mistakes.set(pointer, { pointer, detail: tooManyPixels(step.size, maxPixels) })
  }
  return [...mistakes.values()]
}

export function firstTooLarge(steps: readonly SizeStep[], maxPixels: number): SizeStep | undefined {
  return steps.find(({ size: { width, height } }) => width.least * height.least > maxPixels)
}

export function tooManyPixels({ width, height }: PlannedSize, maxPixels: number): string {
  const least = width.isKnown && height.isKnown ? '' : 'at least '
  return `makes the picture ${least}${width.least} × ${height.least} pixels, more than MAX_PICTURE_PIXELS (${maxPixels})`
}
