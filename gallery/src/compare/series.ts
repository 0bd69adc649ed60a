import type { JobOverview } from '../../../src/contract/browsing.ts'
import type { View } from '../../../src/contract/capture-options.ts'
import { viewName } from '../words.ts'

/** Pictures of one page that are alike: asked for in the same way or, where nobody knows how, of the same width. */
export interface Series {
  /** As the address bar has it: `window-1280x800`, `full-1280`, `width-1280`. Other options follow: `full-1280-reducedMotion`. */
  readonly name: string
  readonly width: number
  readonly view: View | undefined
}

export function seriesOf({ view, screenshotParameter }: JobOverview): Series {
  if (!view) return { name: `width-${screenshotParameter.width}`, width: screenshotParameter.width, view }
  const { width, height, fullPage, ...others } = view
  const size = fullPage ? `full-${width}` : `window-${width}x${height}`
  return { name: [size, ...Object.entries(others).map(optionName)].join('-'), width, view }
}

function optionName([name, value]: [string, unknown]): string {
  return value === true ? name : `${name}=${JSON.stringify(value)}`
}

/** Each once: what a window showed, whole pages, what was imported; the widest first. */
export function listSeries(jobs: readonly JobOverview[]): Series[] {
  const known = new Map<string, Series>()
  for (const job of jobs) {
    const series = seriesOf(job)
    if (!known.has(series.name)) known.set(series.name, series)
  }
  const kind = ({ view }: Series) => (view ? Number(view.fullPage) : 2)
  return [...known.values()].sort((a, b) => kind(a) - kind(b) || b.width - a.width)
}

export function describeSeries({ view, width }: Series, all: readonly Series[]): string {
  if (view) return viewName(view)
  return all.some((other) => other.view) ? `Imported, ${width} wide` : `${width} wide`
}

/**
 * The series to show: the one that is named, else that of a picture that is named, else that of the newest. A width alone
 * (`width-390`), as older links have it, means the newest of that width. Undefined where it is not known yet.
 */
export function chooseSeries(
  jobs: readonly JobOverview[],
  { series, picture, complete }: { series: string; picture: string; complete: boolean },
): Series | undefined {
  const all = jobs.map(seriesOf)
  const named =
    all.find(({ name }) => name === series) ??
    all.find(({ width }) => series === `width-${width}`) ??
    (series === '' ? all[jobs.findIndex(({ uuid }) => uuid === picture)] : undefined)
  const isKnown = complete || (series === '' && picture === '')
  return named ?? (isKnown ? all[0] : undefined)
}
