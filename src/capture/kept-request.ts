import type { Mistake } from '../contract/check.ts'
import { concealRequest } from '../contract/options/conceal-request.ts'
import type { ScreenshotRequest } from '../contract/screenshot-request.ts'
import type { KeyRing } from '../secrets/key-ring.ts'
import { mistakesOfOptions } from './kept-options.ts'
import { pairPages } from './pair-pages.ts'

// A request that is kept to be run later or again: of a template or a schedule. Its secrets are sealed as one text. Who may change
// it, but does not know a secret, must not get to see it. So a kept secret goes only to the origins of the pages that it was
// given for, and only with the options that it was given with (`kept-options.ts`).

/** What to capture, and how. */
export type Given = Pick<ScreenshotRequest, 'screenshotParameter' | 'urls' | 'failOn'>

export interface KeptRequest {
  /** JSON of a `Given`, with empty texts for secrets. */
  readonly request: string
  readonly sealed: string | undefined
}

interface KeptSecret {
  readonly text: string
  readonly origins: readonly string[]
}

type KeptSecrets = Readonly<Record<string, KeptSecret>>

type Opened =
  | { readonly given: Given; readonly mistakes?: undefined }
  | { readonly given?: undefined; readonly mistakes: readonly Mistake[] }

/** `place`: where the sealed text belongs. It opens only there. The request has been checked. */
export function keepRequest(given: Given, ring: KeyRing, place: string): KeptRequest {
  const { request, secrets } = concealRequest(given)
  if (!secrets) return { request: JSON.stringify(request), sealed: undefined }
  const kept = Object.entries(secrets).map(([pointer, text]) => {
    const [list, index] = stepsOf(pointer)
    const pages = list === 'urls' ? given.urls.slice(Number(index), Number(index) + 1) : given.urls
    return [pointer, { text, origins: [...new Set(pages.map(originOf))] }]
  })
  return {
    request: JSON.stringify(request),
    sealed: ring.seal(JSON.stringify(Object.fromEntries(kept)), place),
  }
}

/** The request without its secrets. */
export function showRequest({ request }: Pick<KeptRequest, 'request'>): Given {
  return JSON.parse(request)
}

/**
 * The request with its secrets, and with other pages if some are given. Throws CannotOpen. Mistakes: a page is of an origin that
 * a secret was not given for.
 */
export function openRequest(
  kept: KeptRequest,
  ring: KeyRing,
  { place, urls }: { place: string; urls?: ScreenshotRequest['urls'] | undefined },
): Opened {
  const before = showRequest(kept)
  const secrets = readSecrets(kept, ring, place)
  const changed = { ...before, ...(urls && { urls }) }
  const { given, refused, filled } = refill(changed, before, secrets)
  if (refused.length === 0) {
    const mistakes = urls ? mistakesOfOptions(before, changed, filled) : []
    return mistakes.length > 0 ? { mistakes } : { given }
  }
  const told = refused.map(({ steps, page, detail }) =>
    page === undefined
      ? { pointer: toPointer(steps), detail }
      : {
          pointer: `#/urls/${page}/url`,
          detail: 'must be of an origin that the kept secrets were given for',
        },
  )
  return {
    mistakes: told.filter(({ pointer }, at) => told.findIndex((each) => each.pointer === pointer) === at),
  }
}

/**
 * Puts the secrets that are kept into a changed request, where it has empty texts. The change may be any JSON: it is checked
 * afterwards. Throws CannotOpen. Mistakes: a secret must be given again. An empty text for which nothing is kept stays empty, and
 * the check refuses it. If the check finds nothing, `mistakesOfOptions` tells what must stay as it is.
 */
export function refillRequest<T>(
  changed: T,
  kept: KeptRequest,
  { ring, place }: { ring: KeyRing; place: string },
): Refilled<T> {
  const before = showRequest(kept)
  const { given, refused, filled } = refill(changed, before, readSecrets(kept, ring, place))
  return {
    given,
    mistakes: refused.map(({ steps, detail }) => ({ pointer: toPointer(steps), detail })),
    mistakesOfOptions: () => mistakesOfOptions(before, changed as Given, filled),
  }
}

export interface Refilled<T> {
  readonly given: T
  readonly mistakes: readonly Mistake[]
  /** If the request has been checked. */
  mistakesOfOptions(): readonly Mistake[]
}

function readSecrets({ sealed }: KeptRequest, ring: KeyRing, place: string): KeptSecrets {
  return sealed === undefined ? {} : JSON.parse(ring.open(sealed, place))
}

interface Refused {
  /** Where the secret is missing. */
  readonly steps: readonly string[]
  /** The page that it was not given for. */
  readonly page?: number
  readonly detail: string
}

/** `changed` may be any JSON. */
function refill<T>(
  changed: T,
  before: Given,
  secrets: KeptSecrets,
): { given: T; refused: Refused[]; filled: ReadonlySet<string> } {
  const given = structuredClone(changed)
  const pages = valueAt(given, ['urls'])
  const urls: readonly unknown[] = Array.isArray(pages) ? pages : []
  const pairs = pairPages(before.urls, urls)
  const refused: Refused[] = []
  const filled = new Set<string>()
  for (const [pointer, { text, origins }] of Object.entries(secrets)) {
    const [list = '', ...steps] = stepsOf(pointer)
    const isShared = list !== 'urls'
    const place = isShared ? [list] : [list, ...steps.splice(0, 1)]
    // A page keeps its secrets also at another position of the list.
    const target = isShared ? place : [list, String(pairs.get(Number(place[1])))]
    const path = [...target, ...steps]
    if (valueAt(given, path) !== '') continue
    const page = isShared ? urls.findIndex((each) => !origins.includes(originOf(each))) : -1
    if (page >= 0) {
      refused.push({ steps: path, page, detail: notFor(originOf(urls[page]), origins) })
    } else {
      setAt(given, path, text)
      filled.add(`/${path.map(escapeStep).join('/')}`)
    }
  }
  return { given, refused, filled }
}

function notFor(other: string, origins: readonly string[]): string {
  return `must be given again: it was given for ${origins.join(', ')}, and a page is at ${other}`
}

/** What is no address is like no other origin. */
function originOf(page: unknown): string {
  const url = String(valueAt(page, ['url']))
  return URL.parse(url)?.origin ?? url
}

type Branch = Record<string, unknown>

function isBranch(value: unknown): value is Branch {
  return typeof value === 'object' && value !== null
}

function stepsOf(pointer: string): string[] {
  const steps = pointer.split('/').slice(1)
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
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
