import {
  type CaptureOptions,
  createOwnOptions,
  createScreenshotParameter,
  FailOn,
  type OptionLimits,
  type OwnOptions,
} from './capture-options.ts'
import { check, type Mistake } from './check.ts'
import { DEVICES, type Device } from './options/devices.ts'
import { givenOf } from './options/given.ts'
import { conceal, problemOfSecrets } from './options/secrets.ts'
import { Text } from './options/texts.ts'
import { MAX_URL } from './requests.ts'
import { DEFAULT_LOADING_TIME } from './results.ts'
import { Optional, rule, STRICT, type Static, Type } from './schema.ts'
import { findTooManyPixels } from './too-many-pixels.ts'
import { ScheduleDescription, ScheduledTs, whenOf } from './when.ts'

/** Lists show the options with each picture. A list page of 100 pictures must stay small enough for one turn. */
const MAX_OPTIONS = 20_000

export interface RequestLimits extends OptionLimits {
  readonly urls: number
  readonly picturePixels: number
}

const MAX_NAME = 500
/** For host and port: the longest name in DNS, its last dot, and `:65535`. */
const MAX_HOST = 260
/** No language needs more (UAX 15, Stream-Safe Text). A parser needs seconds to sort thousands of accents. */
const TOO_MANY_ACCENTS = /\p{M}{31}/u

const NO_ADDRESS = 'must be an address that begins with http:// or https://'

const createPage = (limits: RequestLimits) =>
  Type.Object(
    {
      url: Text(MAX_URL, {
        description: 'http or https.',
        examples: ['https://example.com/'],
        [rule]: problemOfAddress,
      }),
      name: Text(MAX_NAME, { description: 'The display name of the page.', examples: ['Home'] }),
      loadingTime: Optional.Integer({
        minimum: 1,
        maximum: limits.loadingMs,
        default: presetOf(limits),
        examples: [presetOf(limits)],
        description:
          'The longest time that the page may take, in milliseconds. The picture is taken when the page is at rest, ' +
          'or at the latest when this time is over.',
      }),
      ...createOwnOptions(limits),
    },
    { title: 'page', ...STRICT },
  )

export const createUrls = (limits: RequestLimits) =>
  Type.Array(createPage(limits), {
    minItems: 1,
    maxItems: limits.urls,
    description: 'The pages, in the order of the results.',
  })

/** The pages and their options. Templates and schedules have the same fields. */
export const createAskedFields = (limits: RequestLimits) => ({
  screenshotParameter: createScreenshotParameter(limits),
  urls: createUrls(limits),
  failOn: Type.Optional(FailOn),
})

/** The limits of the operator are part of the schema, and so of OpenAPI. */
export const createScreenshotRequest = (limits: RequestLimits) =>
  Type.Object(
    {
      ...createAskedFields(limits),
      scheduledTs: Type.Optional(ScheduledTs),
      scheduleDescription: Type.Optional(ScheduleDescription),
    },
    {
      $id: 'ScreenshotRequest',
      description:
        'Either `width` and `height`, or `sizes`, or a `device` is required. Null, an empty list and an empty object count as ' +
        'absent.',
      ...STRICT,
    },
  )

export type ScreenshotRequest = Static<ReturnType<typeof createScreenshotRequest>>

export const ScreenshotAccepted = Type.Object(
  {
    jobId: Type.String({ format: 'uuid', description: 'The root to read, and the `rootId` of its results.' }),
  },
  { examples: [{ jobId: '7f3c1a52-4b0e-4d53-9a55-0a4e1f0f2a10' }] },
)

/**
 * Returns all mistakes of the body, or its request with defaults filled in, and when it is to begin if not at once. `isChecked`: it
 * has been compared with its schema.
 */
export function parseScreenshotRequest(body: unknown, limits: RequestLimits, { isChecked = false } = {}) {
  const { value, mistakes } = isChecked
    ? { value: body as ScreenshotRequest }
    : check(createScreenshotRequest(limits), body, { nothing: 'not_given' })
  if (mistakes) return { mistakes }
  const when = whenOf(value)
  const { options, placed } = expandRequest(value, limits)
  const pages = placed.map(({ page }) => page)
  if (pages.length > limits.urls) {
    const detail = `asks for ${pages.length} pages (pages × sizes); the limit is ${limits.urls}`
    return { mistakes: [{ pointer: '#/urls', detail }] }
  }
  const problem = problemOfSecrets(options, pages)
  if (problem) return { mistakes: [{ pointer: '#/urls', detail: problem }] }
  const withPlaces = placed.map(({ index, page }) => ({ index, ...page }))
  const tooMuch = [
    ...findTooLong(options, withPlaces),
    ...findTooManyPixels(options, withPlaces, limits.picturePixels),
  ]
  return tooMuch.length > 0 ? { mistakes: tooMuch } : { asked: { options, pages }, when }
}

/** The pages of a request that has been checked, in all their sizes. `index`: where the page is in `urls`. */
export function expandRequest(
  checked: Pick<ScreenshotRequest, 'screenshotParameter' | 'urls' | 'failOn'>,
  limits: Pick<RequestLimits, 'loadingMs'>,
) {
  const value = givenOf(checked) as typeof checked
  const { sizes = [], tags = [], name: _, ...given } = value.screenshotParameter
  const { width, height } = sizes[0] ?? { ...windowOf(given.device), ...given }
  const { fullPage = false, failOn, ...others } = { ...given, ...(value.failOn && { failOn: value.failOn }) }
  const options = {
    ...{ width, height, fullPage, tags },
    ...(failOn && { failOn }),
    ...Object.fromEntries(Object.entries(others).filter(([, option]) => option !== false)),
  } as CaptureOptions
  const placed = value.urls.flatMap(({ url, name, ...rest }, index) => {
    const { loadingTime = presetOf(limits), ...more } = rest
    const own: OwnOptions = { ...windowOf(more.device), ...more }
    const page = { url, name, loadingTime }
    const hasOwn = own.width !== undefined || own.height !== undefined
    const windows = sizes.length > 1 && !hasOwn ? sizes : [{}]
    return windows.map((window) => {
      const ownOptions = { ...own, ...window }
      return { index, page: { ...page, ...(Object.keys(ownOptions).length > 0 && { ownOptions }) } }
    })
  })
  return { options, placed }
}

function windowOf(device: Device | undefined): { width?: number; height?: number } {
  if (device === undefined) return {}
  const [width, height] = DEVICES[device]
  return { width, height }
}

function presetOf({ loadingMs }: Pick<RequestLimits, 'loadingMs'>): number {
  return Math.min(DEFAULT_LOADING_TIME, loadingMs)
}

function problemOfAddress(address: string): string | undefined {
  // The string itself is checked: a parser accepts blanks, line breaks and missing slashes.
  if (!/^https?:\/\//i.test(address)) return NO_ADDRESS
  // Only the host is parsed: a parser accepts every path, and is slow with a long one.
  const [before = '', host = ''] = /^https?:\/\/[/\\\t\n\r]*([^/?#\\]*)/i.exec(address) ?? []
  if (host.length > MAX_HOST) return `must name a host in at most ${MAX_HOST} characters`
  const url = TOO_MANY_ACCENTS.test(host) ? null : URL.parse(address.slice(0, before.length + 1))
  if (!url) return NO_ADDRESS
  // Everyone who reads the result would see it.
  if (url.username || url.password) return 'must not contain a user name or a password'
  return undefined
}

/** Options that are too long: those for all pages, or these together with those of one page. Secrets do not count. */
function findTooLong(
  options: CaptureOptions,
  pages: readonly { readonly index: number; readonly ownOptions?: OwnOptions }[],
): Mistake[] {
  const shared = lengthOf(options)
  if (shared > MAX_OPTIONS) return [{ pointer: '#/screenshotParameter', detail: tooLong(shared) }]
  const mistakes = new Map<number, Mistake>()
  for (const { index, ownOptions } of pages) {
    const length = ownOptions && !mistakes.has(index) ? shared + lengthOf(ownOptions) : 0
    if (length > MAX_OPTIONS) mistakes.set(index, { pointer: `#/urls/${index}`, detail: tooLong(length) })
  }
  return [...mistakes.values()]
}

function lengthOf(options: CaptureOptions | OwnOptions): number {
  return JSON.stringify(conceal(options).options).length
}

function tooLong(length: number): string {
  return (
    `has ${length} characters of options as JSON, including those for all pages; the limit is ${MAX_OPTIONS}: ` +
    'shorten css, hide or clicks'
  )
}
