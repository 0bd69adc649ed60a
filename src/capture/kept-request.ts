import type { Mistake } from '../contract/check.ts'
import { concealRequest } from '../contract/options/conceal-request.ts'
import type { ScreenshotRequest } from '../contract/screenshot-request.ts'
import type { KeyRing } from '../secrets/key-ring.ts'

// A request that is kept to be run later or again: of a template or a schedule. Its secrets are sealed as one text. Each
// secret is kept with the origins of the pages that it was given for, and goes to no other: otherwise who may change a
// template, but does not know its password, could send the password to a page of their own.

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

const SHARED = '/screenshotParameter/'

/** `place`: where the sealed text belongs. It opens only there. The request has been checked. */
export function keepRequest(given: Given, ring: KeyRing, place: string): KeptRequest {
  const { request, secrets } = concealRequest(given)
  if (!secrets) return { request: JSON.stringify(request), sealed: undefined }
  const all = originsOf(given.urls)
  const kept = Object.entries(secrets).map(([pointer, text]) => {
    const page = pageOf(pointer, given.urls)
    return [pointer, { text, origins: page === undefined ? all : originsOf([page]) }]
  })
  return {
    request: JSON.stringify(request),
    sealed: ring.seal(JSON.stringify(Object.fromEntries(kept)), place),
  }
}

/** The request without its secrets. */
export function showRequest({ request }: KeptRequest): Given {
  return JSON.parse(request)
}

/**
 * The request with its secrets, and with other pages if some are given. Throws CannotOpen. Mistakes: a secret was not given for
 * the origin of a page.
 */
export function openRequest(
  kept: KeptRequest,
  ring: KeyRing,
  { place, urls }: { place: string; urls?: ScreenshotRequest['urls'] | undefined },
): { given: Given; mistakes?: undefined } | { given?: undefined; mistakes: readonly Mistake[] } {
  const before = showRequest(kept)
  return refill({ ...before, ...(urls && { urls }) }, { before, secrets: readSecrets(kept, ring, place) })
}

/**
 * Puts the secrets that are kept into a changed request, where it has empty texts. Throws CannotOpen. Mistakes as above. An empty
 * text for which nothing is kept stays empty: the check of the request refuses it.
 */
export function refillRequest(
  changed: Given,
  kept: KeptRequest,
  { ring, place }: { ring: KeyRing; place: string },
): ReturnType<typeof openRequest> {
  return refill(changed, { before: showRequest(kept), secrets: readSecrets(kept, ring, place) })
}

function readSecrets({ sealed }: KeptRequest, ring: KeyRing, place: string): KeptSecrets {
  return sealed === undefined ? {} : JSON.parse(ring.open(sealed, place))
}

function refill(
  changed: Given,
  { before, secrets }: { before: Given; secrets: KeptSecrets },
): ReturnType<typeof openRequest> {
  const mistakes: Mistake[] = []
  const given = structuredClone(changed)
  for (const [pointer, { text, origins }] of Object.entries(secrets)) {
    const page = pageOf(pointer, before.urls)
    // A page keeps its secrets also at another position of the list.
    const index = page === undefined ? -1 : given.urls.findIndex(({ url }) => url === page.url)
    if (page !== undefined && index < 0) continue
    const target = page === undefined ? pointer : pointer.replace(/^\/urls\/\d+/, `/urls/${index}`)
    if (valueAt(given, target) !== '') continue
    const other =
      page === undefined ? originsOf(given.urls).find((each) => !origins.includes(each)) : undefined
    if (other === undefined) setAt(given, target, text)
    else mistakes.push({ pointer: `#${target}`, detail: notFor(other, origins) })
  }
  return mistakes.length > 0 ? { mistakes } : { given }
}

function notFor(other: string, origins: readonly string[]): string {
  return `must be given again: it was given for ${origins.join(', ')}, and a page is at ${other}`
}

/** The page that a place belongs to. Undefined: it is for all pages. */
function pageOf(pointer: string, urls: Given['urls']): Given['urls'][number] | undefined {
  if (pointer.startsWith(SHARED)) return undefined
  return urls[Number(pointer.split('/')[2])]
}

function originsOf(urls: Given['urls']): string[] {
  return [...new Set(urls.map(({ url }) => new URL(url).origin))]
}

type Branch = Record<string, unknown>

function stepsOf(pointer: string): string[] {
  const steps = pointer.split('/').slice(1)
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function branchOf(given: Given, steps: readonly string[]): Branch | undefined {
  let branch: unknown = given
  for (const step of steps) {
    if (typeof branch !== 'object' || branch === null || !Object.hasOwn(branch, step)) return undefined
    branch = (branch as Branch)[step]
  }
  return typeof branch === 'object' && branch !== null ? (branch as Branch) : undefined
}

function valueAt(given: Given, pointer: string): unknown {
  const steps = stepsOf(pointer)
  const last = steps.pop() ?? ''
  const branch = branchOf(given, steps)
  return branch && Object.hasOwn(branch, last) ? branch[last] : undefined
}

function setAt(given: Given, pointer: string, text: string): void {
  const steps = stepsOf(pointer)
  const last = steps.pop() ?? ''
  const branch = branchOf(given, steps)
  if (branch) branch[last] = text
}
