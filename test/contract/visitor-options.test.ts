import { describe, expect, test } from 'vitest'
import { parseScreenshotRequest } from '../../src/contract/screenshot-request.ts'
import { newPage } from '../support/http/requests.ts'

const LIMITS = {
  ...{ urls: 3, loadingMs: 20_000, viewportWidth: 2_000, viewportHeight: 3_000 },
  picturePixels: 67_108_864,
}

function mistakesOf(options: object): string[] {
  const everywhere = { screenshotParameter: { width: 1200, height: 720, ...options }, urls: [newPage()] }
  const onOnePage = {
    screenshotParameter: { width: 1200, height: 720 },
    urls: [{ ...newPage(), ...options }],
  }
  const [one, other] = [everywhere, onOnePage].map((body) =>
    (parseScreenshotRequest(body, LIMITS).mistakes ?? []).map(
      ({ pointer, detail }) => `${pointer.replace(/^#\/(screenshotParameter|urls\/0)/, '')} ${detail}`,
    ),
  )
  // An option means the same for all pages and for one.
  expect(other).toEqual(one)
  return one ?? []
}

const WRONG: readonly [string, object, string][] = [
  ['a device that is not in the list', { device: 'iPhone 99' }, '/device must be one of'],
  ['a scale that is too large', { deviceScaleFactor: 4 }, '/deviceScaleFactor must be a number from 1 to 3'],
  ['a scale that is a text', { deviceScaleFactor: '2' }, '/deviceScaleFactor must be a number from 1 to 3'],
  ['a colour scheme', { colorScheme: 'sepia' }, '/colorScheme must be one of "light", "dark"'],
  ['reduced motion', { reducedMotion: 'yes' }, '/reducedMotion must be true or false'],
  [
    'a user agent with a line break',
    { userAgent: 'a\r\nX: b' },
    '/userAgent must not contain control characters',
  ],
  ['a locale', { locale: 'german!' }, '/locale must be a language tag (BCP 47), such as de-DE'],
  [
    'a time zone',
    { timezone: 'Mars/Olympus' },
    '/timezone must be a time zone of the IANA database, such as Europe/Berlin',
  ],
  ['banners', { cookieBanners: 'accept' }, '/cookieBanners must be "decline"'],
  [
    'a header that the browser makes itself',
    { headers: { Host: 'a' } },
    '/headers/Host must not be given: the browser sends its own',
  ],
  [
    'a header with a line break',
    { headers: { 'x-a': 'a\nb: c' } },
    '/headers/x-a must not contain control characters',
  ],
  [
    'a cookie as a header',
    { headers: { cookie: 'a=b' } },
    '/headers/cookie must not be given as a header: use cookies',
  ],
  [
    'a cookie of a server as a header',
    { headers: { 'Set-Cookie': 'a=b' } },
    '/headers/Set-Cookie must not be given: only servers send it',
  ],
  [
    'a header that is given twice',
    { headers: { 'x-a': '1', 'X-A': '2' } },
    '/headers has X-A twice: names of headers that differ only in case are the same',
  ],
  [
    'more headers than a server takes',
    { headers: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`x-${i}`, 'é'.repeat(1_500)])) },
    '/headers must have at most 100000 bytes, names and values together',
  ],
  [
    'more cookies than a server takes',
    { cookies: Array.from({ length: 100 }, (_, i) => ({ name: `a${i}`, value: 'b'.repeat(1_500) })) },
    '/cookies must have at most 100000 bytes, names and values together',
  ],
  [
    'a cookie with a space around it',
    { cookies: [{ name: 'a', value: ' b' }] },
    '/cookies/0/value must not begin or end with a space',
  ],
  [
    'the name of a cookie',
    { cookies: [{ name: 'a b', value: 'c' }] },
    '/cookies/0/name must be the name of a cookie: letters, digits, hyphens and underscores',
  ],
  [
    'a cookie with a semicolon',
    { cookies: [{ name: 'a', value: 'b; domain=x' }] },
    '/cookies/0/value must not contain a semicolon or control characters',
  ],
  [
    'a cookie that no browser takes',
    { cookies: [{ name: 'abc', value: 'é'.repeat(2_048) }] },
    '/cookies/0 must have at most 4096 bytes, name and value together',
  ],
]

describe('the options of the visitor', () => {
  test.each(WRONG)('report a mistake with its place: %s', (_, options, sentence) => {
    const mistakes = mistakesOf(options)
    expect(mistakes).toHaveLength(1)
    expect(mistakes[0]?.startsWith(sentence) && mistakes[0]).toBe(mistakes[0])
  })

  test('report a mistake without repeating a secret', () => {
    const secret = 'so secret'
    const mistakes = mistakesOf({
      headers: { 'x-a': `${secret}\n` },
      cookies: [{ name: 'a', value: `${secret};` }],
    })
    expect(mistakes).toHaveLength(2)
    expect(mistakes.join()).not.toContain(secret)
  })

  test('are accepted unchanged if they are valid', () => {
    const options = {
      ...{ device: 'iPhone 15', deviceScaleFactor: 1.5, colorScheme: 'dark', reducedMotion: true },
      ...{ userAgent: 'Mine/1.0', locale: 'pt-BR', timezone: 'Asia/Kolkata', cookieBanners: 'decline' },
      headers: { Authorization: 'Bearer a' },
      cookies: [{ name: '__Host-a', value: 'b' }],
    }
    const { asked, mistakes } = parseScreenshotRequest(
      { screenshotParameter: options, urls: [newPage()] },
      LIMITS,
    )
    expect(mistakes).toBeUndefined()
    // Without a given window, the window is that of the device.
    expect(asked?.options).toEqual({ ...options, width: 393, height: 659, fullPage: false, tags: [] })
  })
})
