import type { Mistake } from '../contract/check.ts'
import { isNothing } from '../contract/options/given.ts'
import { concealRequest } from '../contract/options/secrets.ts'
import {
  expandRequest,
  parseScreenshotRequest,
  type RequestLimits,
  type ScreenshotRequest,
} from '../contract/screenshot-request.ts'
import { wrongRequest } from '../errors.ts'
import { CannotOpen, type KeyRing } from '../secrets/key-ring.ts'
import { otherWork } from '../work/other-work.ts'
import type { RequestContent } from './digest.ts'
import { type Given, mistakesOfOptions } from './kept-options.ts'
import { addressOf, pairPages, urlOf } from './pair-pages.ts'

// A request that is kept to be run later or again: of a template or a schedule. Its secrets are sealed as one text. Someone who may
// change or run it, but does not know a secret, must not learn it. So a kept secret goes only to the pages that it was given for,
// and only with the options that it was given with (`kept-options.ts`). A template that says `otherPages` lets it go to other pages of the
// same origins. Decision 28.

export type { Given }

export interface KeptRequest {
  /** JSON of a `Given`, with empty strings for secrets. */
  readonly request: string
  readonly sealed: string | undefined
}

interface KeptSecret {
  readonly text: string
  /** Read by the previous version. */
  readonly origins: readonly string[]
}

type KeptSecrets = Readonly<Record<string, KeptSecret>>

/** With its secrets, and with a placeholder for each (`bare`): limits are checked without them. */
interface OpenRequest {
  readonly given: Given
  readonly bare: Given
  /** The places of the secrets that were kept, and not given with the request. */
  readonly kept: readonly string[]
}

export type Opened =
  | (OpenRequest & { readonly mistakes?: undefined })
  | { readonly given?: undefined; readonly kept?: undefined; readonly mistakes: readonly Mistake[] }

/** `place`: where the sealed text belongs. It opens only there. The request has been checked. */
export function keepRequest(given: Given, ring: KeyRing, place: string): KeptRequest {
  const { request, secrets } = concealRequest(given)
  if (!secrets) return { request: JSON.stringify(request), sealed: undefined }
  const originsOf = new Map<string, readonly string[]>()
  const kept = Object.entries(secrets).map(([pointer, text]) => {
    const [list, step = ''] = stepsOf(pointer)
    const origins = originsOf.get(`${list} ${step}`) ?? [
      ...new Set((list === 'urls' ? [given.urls[Number(step)]] : usersOf(given, step)).map(originOf)),
    ]
    originsOf.set(`${list} ${step}`, origins)
    return [pointer, { text, origins }]
  })
  return {
    request: JSON.stringify(request),
    sealed: ring.seal(JSON.stringify(Object.fromEntries(kept)), place),
  }
}

export function showRequest({ request }: Pick<KeptRequest, 'request'>): Given {
  return JSON.parse(request)
}

/**
 * The request with its secrets, and with other pages if some are given. `bare` has a placeholder for each secret. Throws CannotOpen.
 * Mistakes: a secret was not given for one of the pages.
 */
export function openRequest(
  kept: KeptRequest,
  ring: KeyRing,
  { place, urls }: { place: string; urls?: ScreenshotRequest['urls'] | undefined },
): Opened {
  const all = showRequest(kept)
  const { otherPages, ...before } = all
  const secrets = readSecrets(kept, ring, place)
  const changed = { ...before, ...(urls && { urls }) }
  const { bare, refused, filled } = refill(changed, all, secrets)
  if (refused.length === 0) {
    const mistakes = urls ? mistakesOfOptions(all, changed, filled) : []
    if (mistakes.length > 0) return { mistakes }
    const given = filled.size === 0 ? bare : putIn(structuredClone(bare), filled)
    return { bare, given, kept: [...filled.keys()] }
  }
  const told = refused.map(({ steps, page }) => ({
    pointer: page === undefined ? toPointer(steps) : `#/urls/${page}/url`,
    detail: otherPages
      ? 'must be of an origin that the kept secrets were given for'
      : 'must be the address of a page that the kept secrets were given for, unless the template has otherPages',
  }))
  return {
    mistakes: told.filter(({ pointer }, at) => told.findIndex((each) => each.pointer === pointer) === at),
  }
}

/**
 * The pages and options that an opened request asks for. Throws `bad_request` with all mistakes. A request may have a megabyte: between
 * the steps, others use the event loop.
 */
export async function toAsked(opened: Opened, limits: RequestLimits): Promise<RequestContent> {
  if (!opened.given) throw wrongRequest(opened.mistakes)
  await otherWork()
  // Without the secrets: a mistake would tell how long they are.
  const { mistakes } = parseScreenshotRequest(opened.bare, limits)
  if (mistakes) throw wrongRequest(mistakes)
  await otherWork()
  const { options, placed } = expandRequest(opened.given, limits)
  return { options, pages: placed.map(({ page }) => page) }
}

/**
 * Puts the secrets that are kept into a changed request, where it has empty strings. The change may be any JSON: `bare` has
 * placeholders for the secrets, and is checked afterwards. Limits must not be checked with the secrets in it: that would tell
 * how long they are. Mistakes: a secret must be given again. An empty string for which nothing is kept, or can be decrypted, stays
 * empty, and the check refuses it.
 */
export function refillRequest<T>(
  changed: T,
  kept: KeptRequest,
  { ring, place }: { ring: KeyRing; place: string },
): Refilled<T> {
  const before = showRequest(kept)
  const { bare, refused, filled } = refill(changed, before, secretsIfOpen(kept, ring, place))
  return {
    bare,
    mistakes: refused.map(({ steps, detail }) => ({ pointer: toPointer(steps), detail })),
    mistakesOfOptions: () => mistakesOfOptions(before, changed as Given, filled),
    putSecretsIn: (checked) => putIn(checked, filled),
  }
}

export interface Refilled<T> {
  readonly bare: T
  readonly mistakes: readonly Mistake[]
  /** The mistakes of a valid request that changes something while secrets are kept. */
  mistakesOfOptions(): readonly Mistake[]
  /** The checked request itself, with its secrets. */
  putSecretsIn(checked: Given): Given
}

/** A request for which nothing is kept. */
export function refillNothing<T>(changed: T): Refilled<T> {
  return { bare: changed, mistakes: [], mistakesOfOptions: () => [], putSecretsIn: (checked) => checked }
}

function readSecrets({ sealed }: KeptRequest, ring: KeyRing, place: string): KeptSecrets {
  return sealed === undefined ? {} : JSON.parse(ring.open(sealed, place))
}

function secretsIfOpen(...kept: Parameters<typeof readSecrets>): KeptSecrets {
  try {
    return readSecrets(...kept)
  } catch (error) {
    if (error instanceof CannotOpen) return {}
    throw error
  }
}

interface Refused {
  /** Where the secret is missing. */
  readonly steps: readonly string[]
  /** The page that it was not given for. */
  readonly page?: number
  readonly detail: string
}

/** Secrets by the JSON pointers of their places. */
type Filled = ReadonlyMap<string, string>

/** In the place of a secret while a request is checked. */
const PLACEHOLDER = 'x'

/** `changed` may be any JSON. */
function refill<T>(
  changed: T,
  before: Given,
  secrets: KeptSecrets,
): { bare: T; refused: Refused[]; filled: Filled } {
  if (Object.keys(secrets).length === 0) return { bare: changed, refused: [], filled: new Map() }
  const bare = structuredClone(changed)
  const pages = valueAt(bare, ['urls'])
  const urls: readonly unknown[] = Array.isArray(pages) ? pages : []
  const pairs = pairPages(before.urls, urls)
  const strangers = new Map<string, Stranger | undefined>()
  /** Found once for each option. */
  const findStranger = (option: string) => {
    if (!strangers.has(option)) strangers.set(option, strangerIn(urls, before, option))
    return strangers.get(option)
  }
  const refused: Refused[] = []
  const filled = new Map<string, string>()
  for (const [pointer, { text }] of Object.entries(secrets)) {
    const [list = '', ...steps] = stepsOf(pointer)
    const isShared = list !== 'urls'
    const place = isShared ? [list] : [list, ...steps.splice(0, 1)]
    // A page keeps its secrets also at another position of the list.
    const target = isShared ? place : [list, String(pairs.get(Number(place[1])))]
    const path = [...target, ...steps]
    if (valueAt(bare, path) !== '') continue
    const stranger = isShared ? findStranger(steps[0] ?? '') : undefined
    if (stranger) {
      refused.push({ steps: path, ...stranger })
    } else {
      setAt(bare, path, PLACEHOLDER)
      filled.set(`/${path.map(escapeStep).join('/')}`, text)
    }
  }
  return { bare, refused, filled }
}

type Stranger = Pick<Refused, 'page' | 'detail'>

/** The first page that would use a secret that was not given for it. */
function strangerIn(urls: readonly unknown[], before: Given, option: string): Stranger | undefined {
  const keyOf = before.otherPages ? originOf : addressOf
  const known = new Set(usersOf(before, option).map(keyOf))
  const page = urls.findIndex((each) => uses(each, option) && !known.has(keyOf(each)))
  return page < 0 ? undefined : { page, detail: notFor(keyOf(urls[page]), [...known]) }
}

function putIn<T>(bare: T, filled: Filled): T {
  for (const [pointer, text] of filled) setAt(bare, stepsOf(pointer), text)
  return bare
}

/** The pages that take an option from the request, and have none of their own. */
function usersOf({ urls }: Pick<Given, 'urls'>, option: string): readonly unknown[] {
  return urls.filter((page) => uses(page, option))
}

function uses(page: unknown, option: string): boolean {
  return isNothing(valueAt(page, [option]))
}

function notFor(other: string, known: readonly string[]): string {
  const where = known.length > 3 ? `${known.slice(0, 3).join(', ')} and others` : known.join(', ')
  return `must be given again: it was given for ${where || 'no page'}, and a page is at ${other}`
}

/** A malformed address matches no other. */
function originOf(page: unknown): string {
  const url = urlOf(page)
  return URL.parse(url)?.origin ?? url
}

type Branch = Record<string, unknown>

function isBranch(value: unknown): value is Branch {
  return typeof value === 'object' && value !== null
}

function stepsOf(pointer: string): string[] {
  const steps = pointer.split('/').slice(1)
  return pointer.includes('~') ? steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')) : steps
}

function toPointer(steps: readonly string[]): string {
  return `#/${steps.map((step) => encodeURIComponent(escapeStep(step))).join('/')}`
}

function escapeStep(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1')
}

function valueAt(root: unknown, steps: readonly string[]): unknown {
  let value = root
  for (const step of steps) {
    if (!isBranch(value) || !Object.hasOwn(value, step)) return undefined
    value = value[step]
  }
  return value
}

/** There is a value at this place. */
function setAt(root: unknown, steps: readonly string[], text: string): void {
  const branch = valueAt(root, steps.slice(0, -1)) as Branch
  branch[steps.at(-1) ?? ''] = text
}
