import type { JobOverview } from '../../../src/contract/browsing.ts'
import type { View } from '../../../src/contract/capture-options.ts'
import { viewName } from '../asked.ts'

/** Pictures of one page that can be compared: captured in the same way or, if imported, of the same width. */
export interface Series {
  /** Its name in the address bar: `window-1280x800`, `full-1280`, `width-1280`; then other options: `full-1280-reducedMotion`. */
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

/** All series: windows, full pages, imports; the widest first. */
export function listSeries(jobs: readonly JobOverview[]): Series[] {
  const known = new Map<string, Series>()
  for (const job of jobs) {
    const series = seriesOf(job)
    if (!known.has(series.name)) known.set(series.name, series)
  }
  const kind = ({ view }: Series) => (view ? Number(view.fullPage) : 2)
  return [...known.values()].sort((a, b) => kind(a) - kind(b) || b.width - a.width)
}

/** Words do not say everything, such as the text of a style. Series with the same words are numbered. */
export function describeSeries(series: Series, all: readonly Series[]): string {
  const alike = all.filter((other) => inWords(other, all) === inWords(series, all))
  const number = alike.findIndex(({ name }) => name === series.name) + 1
  return number > 1 ? `${inWords(series, all)} (${number})` : inWords(series, all)
}

function inWords({ view, width }: Series, all: readonly Series[]): string {
  if (view) return viewName(view)
  return all.some((other) => other.view) ? `Imported, ${width} wide` : `${width} wide`
}

/**
 * The series to show: the named one, else that of the named picture, else that of the newest picture. A width alone
 * (`width-390`, in older links) means the newest of that width. Undefined if it is not known yet.
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
