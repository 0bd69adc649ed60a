import { createScreenshotParameter, FailOn, toCaptureOptions, type WindowLimits } from './capture-options.ts'
import { check } from './check.ts'
import { MAX_URL } from './requests.ts'
import { DEFAULT_LOADING_TIME } from './results.ts'
import { rule, type Static, Type } from './schema.ts'

/** The operator's limits for a request. */
export interface RequestLimits extends WindowLimits {
  readonly urls: number
  readonly loadingMs: number
}

const MAX_NAME = 500
/** For host and port: the longest name in DNS, its last dot, and `:65535`. */
const MAX_HOST = 260
/** No language needs more (UAX 15, Stream-Safe Text). A parser needs seconds to sort thousands of accents. */
const TOO_MANY_ACCENTS = /\p{M}{31}/u

/** Other services have these fields. They are refused by name, so that nobody believes that they work. */
const NOT_BUILT = [
  'style',
  'area',
  'effects',
  'loginParameter',
  'clicks',
  'scheduledTs',
  'scheduleDescription',
]

const NO_ADDRESS = 'must be an address that begins with http:// or https://'

const STRICT = { additionalProperties: false }

const Text = (maxLength: number, options: object = {}) => Type.String({ minLength: 1, maxLength, ...options })

const createPage = ({ loadingMs }: RequestLimits) =>
  Type.Object(
    {
      url: Text(MAX_URL, {
        description: 'http or https.',
        examples: ['https://example.com/'],
        [rule]: problemOfAddress,
      }),
      name: Text(MAX_NAME, { description: 'The display name of the page.', examples: ['Home'] }),
      loadingTime: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: loadingMs,
          default: presetOf(loadingMs),
          description:
            'The longest time the page may take, in milliseconds. The picture is taken when the page is at rest, ' +
            'and at the latest when this time is over.',
        }),
      ),
    },
    { title: 'page', ...STRICT },
  )

/** The limits of the operator are part of the schema, and so of OpenAPI. */
export const createScreenshotRequest = (limits: RequestLimits) =>
  Type.Object(
    {
      screenshotParameter: createScreenshotParameter(limits),
      urls: Type.Array(createPage(limits), { minItems: 1, maxItems: limits.urls }),
      // Clients of other services send null for an option that was not given.
      failOn: Type.Optional(Type.OrNull(FailOn)),
    },
    {
      $id: 'ScreenshotRequest',
      description: `Not supported yet, and refused: ${NOT_BUILT.join(', ')}.`,
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

/** Returns all mistakes of the body, or its request with defaults filled in. */
export function parseScreenshotRequest(body: unknown, limits: RequestLimits) {
  const { value, mistakes } = check(createScreenshotRequest(limits), body, { unsupported: NOT_BUILT })
  if (mistakes) return { mistakes }
  const { screenshotParameter, urls, failOn } = value
  const pages = urls.map(({ url, name, loadingTime = presetOf(limits.loadingMs) }) => ({
    url,
    name,
    loadingTime,
  }))
  return { asked: { options: toCaptureOptions({ ...screenshotParameter, failOn }), pages } }
}

function presetOf(loadingMs: number): number {
  return Math.min(DEFAULT_LOADING_TIME, loadingMs)
}

function problemOfAddress(address: string): string | undefined {
  // The text itself is checked: a parser accepts blanks, line breaks and missing slashes.
  if (!/^https?:\/\//i.test(address)) return NO_ADDRESS
  // Only the host is parsed: a parser accepts every path, and needs long for a long one.
  const [before = '', host = ''] = /^https?:\/\/[/\\\t\n\r]*([^/?#\\]*)/i.exec(address) ?? []
  if (host.length > MAX_HOST) return `must name a host in at most ${MAX_HOST} characters`
  const url = TOO_MANY_ACCENTS.test(host) ? null : URL.parse(address.slice(0, before.length + 1))
  if (!url) return NO_ADDRESS
  // Everyone who reads the result would see it.
  if (url.username || url.password) return 'must not contain a user name or a password'
  return undefined
}
