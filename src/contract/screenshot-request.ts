import { FailOn, MAX_TAGS, ScreenshotParameter, toCaptureOptions } from './capture-options.ts'
import { Reader } from './reader.ts'
import { MAX_URL } from './requests.ts'
import { DEFAULT_LOADING_TIME } from './results.ts'
import { type Static, Type } from './schema.ts'

/** What a request may ask for, as the operator allows it. */
export interface RequestLimits {
  readonly urls: number
  readonly loadingMs: number
  readonly viewportWidth: number
  readonly viewportHeight: number
}

const MAX_NAME = 500
const MAX_TAG = 100
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

/** For the documentation; `parseScreenshotRequest` says in words what is wrong, and where. */
export const ScreenshotRequest = Type.Object(
  {
    screenshotParameter: ScreenshotParameter,
    urls: Type.Array(
      Type.Object({
        url: Type.String({ description: 'http or https.', examples: ['https://example.com/'] }),
        name: Type.String({ description: 'What to call the page.', examples: ['Home'] }),
        loadingTime: Type.Optional(
          Type.Integer({
            minimum: 1,
            default: DEFAULT_LOADING_TIME,
            description:
              'The longest the page may take, in milliseconds. The picture is taken as soon as the page has ' +
              'settled, or at that moment at the latest.',
          }),
        ),
      }),
      { minItems: 1 },
    ),
    failOn: Type.Optional(FailOn),
  },
  { $id: 'ScreenshotRequest', description: `Not supported yet, and refused: ${NOT_BUILT.join(', ')}.` },
)

export type ScreenshotRequest = Static<typeof ScreenshotRequest>

export const ScreenshotAccepted = Type.Object({
  jobId: Type.String({ format: 'uuid', description: 'The root to read, and the `rootId` of its results.' }),
})

/** All that is wrong with it, or what it asks for, with what was left out filled in. */
export function parseScreenshotRequest(body: unknown, limits: RequestLimits) {
  const reader = new Reader()
  const request = reader.fields(body, '', ['screenshotParameter', 'urls', 'failOn'], NOT_BUILT)
  if (!request) return { mistakes: reader.mistakes }
  const { screenshotParameter, urls, failOn = null } = request
  const options = readOptions(reader, screenshotParameter, limits)
  const pages = reader
    .list(urls, '/urls', { min: 1, max: limits.urls, of: 'pages' })
    .map((page, index) => readPage(reader, page, `/urls/${index}`, limits))
  // Clients of other services send null for what was not given.
  if (failOn !== null && failOn !== 'status') reader.wrong('/failOn', 'must be "status", or be left out')
  return reader.mistakes.length > 0
    ? { mistakes: reader.mistakes }
    : { asked: { options: toCaptureOptions({ ...options, failOn }), pages } }
}

function readOptions(reader: Reader, value: unknown, limits: RequestLimits) {
  const at = '/screenshotParameter'
  const given = reader.fields(value, at, ['width', 'height', 'fullPage', 'tags'], NOT_BUILT)
  const { width, height, fullPage = false, tags = [] } = given ?? { width: 1, height: 1 }
  return {
    width: reader.integer(width, `${at}/width`, limits.viewportWidth),
    height: reader.integer(height, `${at}/height`, limits.viewportHeight),
    fullPage: reader.boolean(fullPage, `${at}/fullPage`),
    tags: reader
      .list(tags, `${at}/tags`, { min: 0, max: MAX_TAGS, of: 'texts' })
      .map((tag, index) => reader.text(tag, `${at}/tags/${index}`, MAX_TAG)),
  }
}

function readPage(reader: Reader, value: unknown, at: string, limits: RequestLimits) {
  const preset = Math.min(DEFAULT_LOADING_TIME, limits.loadingMs)
  const given = reader.fields(value, at, ['url', 'name', 'loadingTime'], NOT_BUILT)
  const { url, name, loadingTime = preset } = given ?? { url: 'http://-', name: '-' }
  const address = reader.text(url, `${at}/url`, MAX_URL)
  const problem = address === '' ? undefined : problemOfAddress(address)
  if (problem) reader.wrong(`${at}/url`, problem)
  return {
    url: address,
    name: reader.text(name, `${at}/name`, MAX_NAME),
    loadingTime: reader.integer(loadingTime, `${at}/loadingTime`, limits.loadingMs),
  }
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
