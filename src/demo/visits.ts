import type { CaptureOptions, PageOptions } from '../contract/capture-options.ts'
import { type Look, type PageName, pages } from './site.ts'

export const DEMO_PROJECT_ID = '11111111-1111-4111-8111-111111111111'

/** The window of a visit, and the pages that it shows. */
interface Viewport {
  readonly name: 'desktop' | 'phone' | 'full'
  readonly options: PageOptions
  readonly pages: readonly PageName[]
  /** Added to the name of the page. */
  readonly suffix: string
}

const LARGE = { width: 1200, height: 720, fullPage: false }
const WHOLE = { ...LARGE, fullPage: true }
const SMALL = { width: 390, height: 844, fullPage: false }
const DESKTOP: Viewport = { name: 'desktop', options: LARGE, pages, suffix: '' }
const PHONE: Viewport = { name: 'phone', options: SMALL, pages, suffix: ' on a phone' }
const FULL: Viewport = { name: 'full', options: WHOLE, pages: ['docs', 'blog'], suffix: ', full page' }

/** One root of the demo: several pages in one viewport. */
export interface Visit {
  readonly rootId: string
  readonly daysAgo: number
  readonly look: Look
  readonly tags: readonly string[]
  readonly viewport: Viewport
}

const rootId = (number: number) => `0d3a0001-0000-4000-8000-00000000000${number}`

/** Half a year of the site, from pictures that come with the package. */
export const history: readonly Visit[] = [
  { rootId: rootId(1), daysAgo: 183, look: 'first', tags: ['first draft'], viewport: DESKTOP },
  { rootId: rootId(2), daysAgo: 92, look: 'clean', tags: ['redesign'], viewport: DESKTOP },
  { rootId: rootId(3), daysAgo: 31, look: 'bold', tags: ['redesign'], viewport: DESKTOP },
  { rootId: rootId(6), daysAgo: 31, look: 'bold', tags: ['redesign', 'phone'], viewport: PHONE },
  { rootId: rootId(4), daysAgo: 3, look: 'night', tags: ['phone'], viewport: PHONE },
  { rootId: rootId(7), daysAgo: 3, look: 'night', tags: ['full page'], viewport: FULL },
]

/** Captured at the first start, or imported if there is no browser. */
export const newest = {
  rootId: rootId(5),
  daysAgo: 0,
  look: 'night',
  tags: ['release'],
  viewport: DESKTOP,
} as const satisfies Visit

export function optionsOf({ viewport, tags }: Visit): CaptureOptions {
  return { ...viewport.options, tags: [...tags] }
}

export type Sight = ReturnType<typeof sightsOf>[number]

/** The pages of a visit, in their order, with their names in lists, and their files in the folder of pictures. */
export function sightsOf({ viewport, look }: Visit) {
  return viewport.pages.map((page) => ({
    page,
    viewport,
    name: page.charAt(0).toUpperCase() + page.slice(1) + viewport.suffix,
    file: `${look}-${page}-${viewport.name}.png`,
  }))
}
