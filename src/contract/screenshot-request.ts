import { createScreenshotParameter, FailOn, toCaptureOptions, type WindowLimits } from './capture-options.ts'
import { check } from './check.ts'
import { MAX_URL } from './requests.ts'
import { DEFAULT_LOADING_TIME } from './results.ts'
import { rule, type Static, Type } from './schema.ts'

/** What a request may ask for, as the operator allows it. */
export interface RequestLimits extends WindowLimits {
  readonly urls: number
  readonly loadingMs: number
}

const MAX_NAME = 500
/** Of host and port as they are written: the longest name that DNS has, its last dot, and `:65535`. */
const MAX_HOST = 260
/** No language needs more (UAX 15, Stream-Safe Text). To put thousands in their order takes a parser seconds. */
const TOO_MANY_ACCENTS = /\p{M}{31}/u

/** Known elsewhere and not built here: refused by name, so that nobody takes them for done. */
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
      name: Text(MAX_NAME, { description: 'What to call the page.', examples: ['Home'] }),
      loadingTime: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: loadingMs,
          default: presetOf(loadingMs),
          description:
            'The longest the page may take, in milliseconds. The picture is taken as soon as the page has ' +
            'settled, or at that moment at the latest.',
        }),
      ),
    },
    { title: 'page', ...STRICT },
  )

/** What the operator allows is part of it, and so of its documentation. */
export const createScreenshotRequest = (limits: RequestLimits) =>
  Type.Object(
    {
      screenshotParameter: createScreenshotParameter(limits),
      urls: Type.Array(createPage(limits), { minItems: 1, maxItems: limits.urls }),
      // Clients of other services send null for what was not given.
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

/** All that is wrong with it, or what it asks for, with what was left out filled in. */
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
  // Of the text itself: a parser forgives blanks, line breaks and missing slashes.
  if (!/^https?:\/\//i.test(address)) return NO_ADDRESS
  // Nothing is wrong with a path that a parser would not forgive, and to tidy a long one takes it long.
  const [before = '', host = ''] = /^https?:\/\/[/\\\t\n\r]*([^/?#\\]*)/i.exec(address) ?? []
  if (host.length > MAX_HOST) return `must name a host in at most ${MAX_HOST} characters`
  const url = TOO_MANY_ACCENTS.test(host) ? null : URL.parse(address.slice(0, before.length + 1))
  if (!url) return NO_ADDRESS
  // It would be shown to everyone who reads the result.
  if (url.username || url.password) return 'must not hold a user name or a password'
  return undefined
}
