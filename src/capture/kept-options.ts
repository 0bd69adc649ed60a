import { isDeepStrictEqual } from 'node:util'
import type { Mistake } from '../contract/check.ts'
import { isNothing } from '../contract/options/given.ts'
import { DEFAULT_LOADING_TIME } from '../contract/results.ts'
import { expandRequest } from '../contract/screenshot-request.ts'
import type { TemplateRequest } from '../contract/templates.ts'
import { pairPages, sameAddress } from './pair-pages.ts'

// A page with kept secrets is captured only with options that were given together with them. Any other option may show a secret or
// reveal something about it: a click on "show password", a style, an element, a wait. So all options are compared, also those that will
// be added one day. Only the name of a page and the tags may change, and a page may get more time. With less time, a picture would be
// taken before a click hides something. Decision 28.

/** Pages and their options. `otherPages`: only of a template. */
export type Given = Omit<TemplateRequest, 'name'>
type Page = Given['urls'][number]

const DETAIL = 'must stay as it is while secrets are kept: give the secrets again to change it'
const NO_LESS = 'must not become less while secrets are kept: give the secrets again to change it'
/** More pages with changes are not reported. */
const MOST_TOLD = 3
/** A page without its own options. */
const BARE: Page = { url: '', name: '' }

/**
 * Finds options that a change may not change. Both requests have been checked. `now` has an empty string for each secret that is
 * kept; `filled` are their places (JSON pointers). A secret that is given beside a kept one is a change like any other.
 */
export function mistakesOfOptions(
  before: Given,
  now: Given,
  filled: ReadonlyMap<string, unknown>,
): Mistake[] {
  if (filled.size === 0) return []
  const kept = [...filled.keys()].map((pointer) => pointer.split('/').slice(1))
  const ofAll = new Set(kept.flatMap(([list, name = '']) => (list === 'urls' ? [] : [name])))
  const ofPages = new Set(kept.flatMap(([list, index]) => (list === 'urls' ? [Number(index)] : [])))
  const names = new Set(kept.map(([list, first = '', second = '']) => (list === 'urls' ? second : first)))
  const usesKept = (page: Page, index: number) =>
    ofPages.has(index) || [...ofAll].some((name) => isNothing(page[name as keyof Page]))
  const expanded = new Map<Page, Known[]>()
  const expand = (page: Page) => {
    const known = expanded.get(page) ?? optionsOf(before, page, names).map((options) => ({ page, options }))
    expanded.set(page, known)
    return known
  }
  const told = new Set<string>(now.otherPages && !before.otherPages ? ['/otherPages'] : [])
  let pages = 0
  for (const { page, index, candidates } of changedPages(before, now, usesKept)) {
    // The address was not given with the secrets.
    if (candidates.length === 0) told.add(`/urls/${index}/url`)
    const places = optionsOf(now, page, names).flatMap((options) =>
      changesOf(options, candidates.flatMap(expand)).map(({ name, isOwn }) =>
        isOwn || Object.hasOwn(page, name) ? `/urls/${index}/${name}` : placeOf(name, now),
      ),
    )
    for (const place of places) told.add(place)
    if (places.length > 0 && ++pages === MOST_TOLD) break
  }
  return [...told].map((pointer) => ({
    pointer: `#${pointer}`,
    detail: pointer.endsWith('/loadingTime') ? NO_LESS : DETAIL,
  }))
}

interface Changed {
  readonly page: Page
  readonly index: number
  /** The page that it was, or those that it may be like. */
  readonly candidates: readonly Page[]
}

/**
 * Most requests are sent as they were read: only the texts of pages are compared here. The last page has nothing of its own: secrets that
 * no page uses stay with their options, too, until one does.
 */
function* changedPages(
  before: Given,
  now: Given,
  usesKept: (page: Page, index: number) => boolean,
): Generator<Changed> {
  const isSame = textOfAll(before) === textOfAll(now)
  const ofAddress = Map.groupBy(before.urls, ({ url }) => sameAddress(url))
  const pairs = new Map([...pairPages(before.urls, now.urls)].map(([old, index]) => [index, old]))
  for (const [index, page] of now.urls.entries()) {
    if (!usesKept(page, index)) continue
    const old = before.urls[pairs.get(index) ?? -1]
    const others = before.otherPages ? before.urls : []
    const candidates = old ? [old] : (ofAddress.get(sameAddress(page.url)) ?? others)
    const text = textOf(page)
    if (isSame && candidates.some((each) => textOf(each) === text)) continue
    yield { page, index, candidates }
  }
  if (!isSame && usesKept(BARE, -1)) yield { page: BARE, index: now.urls.length, candidates: [BARE] }
}

function textOfAll({ screenshotParameter: { tags: _, name: __, ...shared }, failOn }: Given): string {
  return JSON.stringify([shared, failOn])
}

function textOf({ url: _, name: __, ...own }: Page): string {
  return JSON.stringify(own)
}

type Options = Readonly<Record<string, unknown>>

/** A page in one of its sizes. */
interface Known {
  readonly page: Page
  readonly options: Options
}

/** How options differ from those of the nearest page that is known. `isOwn`: that page has the option of its own. */
function changesOf(options: Options, known: readonly Known[]): { name: string; isOwn: boolean }[] {
  let least: { name: string; isOwn: boolean }[] | undefined
  for (const old of known) {
    const names = new Set([...Object.keys(old.options), ...Object.keys(options)])
    const changed = [...names].filter((name) => !isAsGood(name, old.options[name], options[name]))
    if (changed.length === 0) return []
    if (least && least.length <= changed.length) continue
    least = changed.map((name) => ({ name, isOwn: Object.hasOwn(old.page, name) }))
  }
  return least ?? []
}

function isAsGood(name: string, old: unknown, now: unknown): boolean {
  return name === 'loadingTime' ? Number(now) >= Number(old) : isDeepStrictEqual(old, now)
}

/** The options that count for a page. One with kept secrets is another one if it is the page's own. */
function optionsOf({ urls: _, ...given }: Given, page: Page, secrets: ReadonlySet<string>): Options[] {
  const { options, placed } = expandRequest({ ...given, urls: [page] }, { loadingMs: DEFAULT_LOADING_TIME })
  const { tags: __, ...shared } = options
  return placed.map(({ page: { ownOptions = {}, loadingTime } }) => {
    const all = Object.entries({ ...shared, ...ownOptions, loadingTime }).filter(
      ([, value]) => value !== false,
    )
    return Object.fromEntries(
      all.map(([name, value]) => [
        name,
        secrets.has(name) ? [Object.hasOwn(ownOptions, name), value] : value,
      ]),
    )
  })
}

function placeOf(name: string, { screenshotParameter: { sizes } }: Given): string {
  if (name === 'failOn') return '/failOn'
  return `/screenshotParameter/${sizes && /^(width|height)$/.test(name) ? 'sizes' : name}`
}
