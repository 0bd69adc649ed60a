import type { CaptureOptions, PageOptions } from '../contract/capture-options.ts'
import { type Look, looks, type PageName, pages } from './site/site.ts'

/** How a page was looked at. */
export interface View {
  readonly name: 'desktop' | 'phone' | 'full'
  readonly options: PageOptions
  readonly pages: readonly PageName[]
  /** Behind the name of the page. */
  readonly suffix: string
}

const DESKTOP: View = {
  name: 'desktop',
  options: { width: 1200, height: 720, fullPage: false },
  pages,
  suffix: '',
}
const PHONE: View = {
  name: 'phone',
  options: { width: 390, height: 844, fullPage: false },
  pages,
  suffix: ' on a phone',
}
const FULL: View = {
  name: 'full',
  options: { width: 1200, height: 720, fullPage: true },
  pages: ['docs', 'blog'],
  suffix: ', full page',
}

/** One root of the demo. One view, as a request has one window. */
export interface Visit {
  readonly rootId: string
  readonly daysAgo: number
  readonly look: Look
  readonly tags: readonly string[]
  readonly view: View
}

const rootId = (number: number) => `0d3a0001-0000-4000-8000-00000000000${number}`

/** The same site through half a year, from pictures that come with the package. */
export const history: readonly Visit[] = [
  { rootId: rootId(1), daysAgo: 183, look: looks[0], tags: ['first draft'], view: DESKTOP },
  { rootId: rootId(2), daysAgo: 92, look: looks[1], tags: ['redesign'], view: DESKTOP },
  { rootId: rootId(3), daysAgo: 31, look: looks[2], tags: ['redesign'], view: DESKTOP },
  { rootId: rootId(6), daysAgo: 31, look: looks[2], tags: ['redesign', 'phone'], view: PHONE },
  { rootId: rootId(4), daysAgo: 3, look: looks[3], tags: ['phone'], view: PHONE },
  { rootId: rootId(7), daysAgo: 3, look: looks[3], tags: ['full page'], view: FULL },
]

/** Captured while one looks; from pictures where there is no browser. */
export const newest = {
  rootId: rootId(5),
  daysAgo: 0,
  look: looks[3],
  tags: ['release'],
  view: DESKTOP,
} as const satisfies Visit

export function optionsOf({ view, tags }: Visit): CaptureOptions {
  return { ...view.options, tags: [...tags] }
}

export interface Sight {
  readonly page: PageName
  readonly view: View
  /** What the page is called in a list. */
  readonly name: string
  /** In the folder of pictures. */
  readonly file: string
}

/** What a visit saw, in its order. */
export function sightsOf(visit: Visit): Sight[] {
  const { view, look } = visit
  return view.pages.map((page) => ({
    page,
    view,
    name: page.charAt(0).toUpperCase() + page.slice(1) + view.suffix,
    file: `${look.name}-${page}-${view.name}.png`,
  }))
}
