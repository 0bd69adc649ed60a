import type { Mistake } from '../contract/check.ts'
import { conceal } from '../contract/options/secrets.ts'
import { expandRequest } from '../contract/screenshot-request.ts'
import type { TemplateRequest } from '../contract/templates.ts'
import { pairPages } from './pair-pages.ts'

// A page with kept secrets is captured only with options that were given together with them. Any other option may show a secret or
// tell something of it: a click on "show password", a style, an element, a wait. So all options are compared, also those that will be
// added one day. Free are the name of a page and its loading time, and the tags.
// Decision 28.

type Given = Pick<TemplateRequest, 'screenshotParameter' | 'urls' | 'failOn' | 'otherPages'>

const DETAIL = 'must stay as it is while secrets are kept: give the secrets again to change it'

/** A number for each value of an option. The same value has the same number. */
type NumberOf = (value: unknown) => number

/** A page in one of its sizes. */
interface Page {
  /** Its position in `urls`. */
  readonly index: number
  /** The options that count for it, by their names. One with secrets is another one if it is the page's own. */
  readonly options: ReadonlyMap<string, number>
  /** The names of those that the request does not give for all pages. */
  readonly own: ReadonlySet<string>
  /** The JSON pointers of its secrets, in the request. */
  readonly secrets: readonly string[]
}

/**
 * What a change may not change. `now` has the kept secrets, at the places `filled` (JSON pointers). Both requests have been
 * checked.
 */
export function mistakesOfOptions(
  before: Given,
  now: Given,
  filled: ReadonlyMap<string, unknown>,
): Mistake[] {
  if (filled.size === 0) return []
  const numberOf = createNumbers()
  const known = readPages(before, numberOf)
  const pairs = new Map([...pairPages(before.urls, now.urls)].map(([old, index]) => [index, old]))
  pairs.set(now.urls.length, before.urls.length)
  const told = new Set<string>(now.otherPages && !before.otherPages ? ['/otherPages'] : [])
  const isSamePage = (one: number, other: number) => before.urls[one]?.url === now.urls[other]?.url
  for (const page of readPages(now, numberOf)) {
    if (!page.secrets.some((secret) => filled.has(secret))) continue
    const given = page.secrets.filter((secret) => !filled.has(secret))
    for (const secret of given) told.add(optionOf(secret))
    const pair = pairs.get(page.index)
    const ofPage = known.filter(({ index }) =>
      pair === undefined ? isSamePage(index, page.index) : index === pair,
    )
    const candidates = ofPage.length > 0 ? ofPage : known.filter(({ index }) => index < before.urls.length)
    for (const place of changesOf(page, candidates, now)) told.add(place)
  }
  return [...told].map((pointer) => ({ pointer: `#${pointer}`, detail: DETAIL }))
}

/** The last page has nothing of its own: secrets that no page uses stay with their options, too, until one does. */
function readPages({ urls, ...given }: Given, numberOf: NumberOf): Page[] {
  const bare = { url: '', name: '' }
  const { options, placed } = expandRequest({ ...given, urls: [...urls, bare] }, { loadingMs: 1 })
  const { tags: _, ...all } = options
  const shared = conceal(all)
  return placed.map(({ index, page: { ownOptions = {} } }) => {
    const own = conceal(ownOptions)
    const ownSecrets = Object.keys(own.secrets ?? {})
    const taken = Object.keys(shared.secrets ?? {}).filter(
      (pointer) => !Object.hasOwn(ownOptions, nameIn(pointer)),
    )
    const isSecret = new Set([...ownSecrets, ...taken].map(nameIn))
    const values = Object.entries({ ...shared.options, ...own.options }).filter(
      ([, value]) => value !== false,
    )
    const numbered = values.map(
      ([name, value]) =>
        [name, numberOf(isSecret.has(name) ? [Object.hasOwn(ownOptions, name), value] : value)] as const,
    )
    return {
      index,
      options: new Map(numbered),
      own: new Set(Object.keys(ownOptions)),
      secrets: [
        ...taken.map((pointer) => `/screenshotParameter${pointer}`),
        ...ownSecrets.map((pointer) => `/urls/${index}${pointer}`),
      ],
    }
  })
}

/** How the options of a page differ from those of the nearest page that is known, by JSON pointers. */
function changesOf(page: Page, candidates: readonly Page[], now: Given): string[] {
  let least: string[] = []
  for (const known of candidates) {
    const names = new Set([...known.options.keys(), ...page.options.keys()])
    const changed = [...names].filter((name) => known.options.get(name) !== page.options.get(name))
    if (changed.length === 0) return []
    if (least.length > 0 && least.length <= changed.length) continue
    least = changed.map((name) =>
      page.own.has(name) || known.own.has(name) ? `/urls/${page.index}/${name}` : placeOf(name, now),
    )
  }
  return least
}

function placeOf(name: string, { screenshotParameter: { sizes } }: Given): string {
  if (name === 'failOn') return '/failOn'
  return `/screenshotParameter/${sizes && /^(width|height)$/.test(name) ? 'sizes' : name}`
}

function createNumbers(): NumberOf {
  const known = new Map<unknown, number>()
  const byText = new Map<string, number>()
  return (value) => {
    const number = known.get(value)
    if (number !== undefined) return number
    const text = JSON.stringify(value, inOrder)
    const made = byText.get(text) ?? byText.size
    byText.set(text, made)
    known.set(value, made)
    return made
  }
}

/** The order of fields says nothing. */
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** The place of the option that a secret is in. */
function optionOf(pointer: string): string {
  const [, list = '', ...steps] = pointer.split('/')
  return `/${[list, ...steps.slice(0, list === 'urls' ? 2 : 1)].join('/')}`
}

/** The option of a secret, in the options of a page. */
function nameIn(pointer: string): string {
  return pointer.split('/')[1] ?? ''
}
