import fc from 'fast-check'
import { DEVICE_NAMES } from '../../../src/contract/options/devices.ts'
import { AREAS, STYLES } from '../../../src/contract/options/finish.ts'
import type { RequestLimits } from '../../../src/contract/screenshot-request.ts'
import { anyCharacter } from '../runner/any-character.ts'

const LIMITS: RequestLimits = {
  urls: 3,
  loadingMs: 20_000,
  viewportWidth: 2_000,
  viewportHeight: 3_000,
  picturePixels: 67_108_864,
}

const anyText = (maxLength: number) =>
  fc
    .oneof(
      fc.string({ unit: anyCharacter, minLength: 1, maxLength }),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength }),
      fc.string({
        unit: fc.constantFrom('"', '\\', "'", '\n', '\u2028', '🦉', '$', '%', '{'),
        minLength: 1,
        maxLength,
      }),
    )
    // Lengths are counted as JavaScript does, and one character may be several.
    .filter((text) => text.length <= maxLength && !text.includes('\0'))

const address = fc
  .tuple(fc.constantFrom('http://', 'https://', 'HTTP://'), fc.domain(), anyText(200))
  .map(([scheme, host, rest]) => `${scheme}${host}/${rest}`)
  .filter((url) => URL.canParse(url))

const part = fc.integer({ min: 0, max: 255 })
const share = fc.double({ min: 0, max: 1, noNaN: true })
const color = fc.record({ r: part, g: part, b: part, a: share })
const side = fc.integer({ min: 1, max: 300 })
const line = (maxLength: number) => anyText(maxLength).filter((text) => !/\p{Cc}/u.test(text))
const secret = line(30).filter((text) => !text.includes(';'))
const name = fc.stringMatching(/^x-[a-z0-9]{1,10}$/)

const effect = fc.oneof(
  fc.record({ effect: fc.constant('blur'), options: fc.record({ radius: fc.integer({ min: 0, max: 20 }) }) }),
  fc.record({ effect: fc.constant('resize'), options: fc.record({ width: side }) }),
  fc.record({ effect: fc.constant('roundcorners'), options: fc.record({ radius: side }) }),
  fc.record(
    { effect: fc.constant('margin'), options: fc.record({ margin: fc.integer({ min: 1, max: 50 }) }) },
    { requiredKeys: ['effect'] },
  ),
  fc.record({ effect: fc.constant('shadow'), options: fc.record({ opacity: share, color, bgColor: color }) }),
)

/** Every option of a request or a page, valid and not empty. None is required. */
function validOptions({ loadingMs }: RequestLimits) {
  const wait = fc.integer({ min: 0, max: loadingMs })
  return {
    fullPage: fc.constant(true),
    device: fc.constantFrom(...DEVICE_NAMES),
    deviceScaleFactor: fc.constantFrom(1, 1.5, 3),
    colorScheme: fc.constantFrom('light', 'dark'),
    reducedMotion: fc.constant(true),
    userAgent: line(100),
    locale: fc.constantFrom('de', 'en-GB', 'zh-Hant-TW'),
    timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kolkata'),
    css: anyText(100),
    hide: fc.array(anyText(20), { minLength: 1, maxLength: 3 }),
    cookieBanners: fc.constant('decline'),
    clicks: fc.array(
      fc.record(
        { elementId: anyText(20), loadingTime: fc.nat(Math.floor(loadingMs / 3)) },
        { requiredKeys: ['elementId'] },
      ),
      { minLength: 1, maxLength: 3 },
    ),
    element: anyText(20),
    area: fc.constantFrom(...AREAS),
    style: fc.constantFrom(...STYLES),
    effects: fc.array(effect, { minLength: 1, maxLength: 4 }),
    loginParameter: fc.record({
      username: fc.record({ elementId: anyText(20), username: anyText(30) }),
      password: fc.record({ elementId: anyText(20), password: anyText(30) }),
      loginButton: fc.record({ elementId: anyText(20) }),
    }),
    headers: fc.dictionary(name, secret, { minKeys: 1, maxKeys: 3 }),
    cookies: fc.array(fc.record({ name, value: secret.filter((text) => !/^ | $/.test(text)) }), {
      minLength: 1,
      maxLength: 3,
    }),
    waitFor: anyText(20),
    delay: wait,
  }
}

/** Valid requests. */
export function validRequest(limits: RequestLimits) {
  const options = validOptions(limits)
  return fc.record(
    {
      screenshotParameter: fc.record(
        {
          width: fc.integer({ min: 1, max: limits.viewportWidth }),
          height: fc.integer({ min: 1, max: limits.viewportHeight }),
          tags: fc.array(anyText(100), { minLength: 1, maxLength: 5 }),
          ...options,
        },
        { requiredKeys: ['width', 'height'] },
      ),
      urls: fc.array(
        fc.record(
          {
            url: address,
            name: anyText(500),
            loadingTime: fc.integer({ min: 1, max: limits.loadingMs }),
            ...options,
          },
          { requiredKeys: ['url', 'name'] },
        ),
        { minLength: 1, maxLength: limits.urls },
      ),
      failOn: fc.constantFrom('status' as const, null),
    },
    { requiredKeys: ['screenshotParameter', 'urls'] },
  )
}

const anyJson = fc.jsonValue({ stringUnit: anyCharacter, maxDepth: 3 })
const anyName = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 6 }),
  fc.constantFrom('style', 'clicks', 'width', 'urls', '__proto__', 'a/b', '~', '%', '#', ''),
)

/** Any JSON value, and often one that is almost a valid request. */
export const anyRequest: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 1, arbitrary: anyJson },
  { weight: 4, arbitrary: validRequest(LIMITS).chain(spoil) },
)

interface Change {
  readonly at: readonly number[]
  readonly how: 'leave' | 'replace' | 'remove' | 'add'
  readonly name: string
  readonly value: unknown
}

/** A few changes to it, or none. */
function spoil(body: unknown): fc.Arbitrary<unknown> {
  const change: fc.Arbitrary<Change> = fc.record({
    at: fc.array(fc.nat(5), { maxLength: 4 }),
    how: fc.constantFrom('leave', 'replace', 'remove', 'add'),
    name: anyName,
    value: anyJson,
  })
  return fc.array(change, { maxLength: 3 }).map((changes) => changes.reduce(changed, body))
}

function changed(body: unknown, { at, how, name, value }: Change): unknown {
  if (how === 'leave') return body
  const [first, ...rest] = at
  if (typeof body !== 'object' || body === null) return value
  const names = Object.keys(body)
  const picked = names[(first ?? 0) % Math.max(1, names.length)]
  if (Array.isArray(body)) {
    if (how === 'add' || picked === undefined) return [...body, value]
    if (how === 'remove' && rest.length === 0) return body.filter((_, index) => String(index) !== picked)
    return body.map((each, index) =>
      String(index) === picked ? changed(each, { at: rest, how, name, value }) : each,
    )
  }
  const entries = Object.entries(body)
  if (first === undefined || picked === undefined) {
    return how === 'add' ? Object.fromEntries([...entries, [name, value]]) : value
  }
  if (how === 'remove' && rest.length === 0)
    return Object.fromEntries(entries.filter(([each]) => each !== picked))
  return Object.fromEntries(
    entries.map(([each, inner]) => [
      each,
      each === picked ? changed(inner, { at: rest, how, name, value }) : inner,
    ]),
  )
}
