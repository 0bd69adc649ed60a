import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Draft, lacksSecrets, NEW, NOTHING, withoutSecrets } from '../../gallery/src/form/draft.ts'
import { EFFECT_NAMES, readColor, writeColor } from '../../gallery/src/form/effects.ts'
import { fromRequest } from '../../gallery/src/form/from-request.ts'
import { areBehindMore, placeMistakes } from '../../gallery/src/form/mistakes.ts'
import { toRequest } from '../../gallery/src/form/to-request.ts'
import { type Asked, askAgain } from '../../src/contract/ask-again.ts'
import type { CaptureOptions } from '../../src/contract/capture-options.ts'
import { AREAS, STYLES } from '../../src/contract/options/finish.ts'
import { conceal } from '../../src/contract/options/secrets.ts'
import { parseScreenshotRequest, type ScreenshotRequest } from '../../src/contract/screenshot-request.ts'
import type { PageStatus } from '../../src/contract/status.ts'

/** Any UTF-16 unit. */
const ANY = fc.nat(0xffff).map((code) => String.fromCharCode(code))
const PHONE = { width: 390, height: 844 }
const LIMITS = {
  urls: 100,
  loadingMs: 100_000,
  viewportWidth: 4_096,
  viewportHeight: 16_384,
  picturePixels: 67_108_864,
}

/** Every field of the form. */
const FULL: Draft = {
  ...NOTHING,
  addresses: 'https://a.example/ Home',
  sizes: ['Desktop', 'Phone'],
  otherSizes: [{ width: '1440', height: '900' }],
  fullPage: true,
  tags: 'a, b',
  waitFor: '#app',
  delay: '500',
  hide: '.chat\n\n #ad ',
  element: 'main',
  clicks: [
    { elementId: '', loadingTime: '' },
    { elementId: '#menu', loadingTime: '1000' },
    { elementId: '#more', loadingTime: '' },
  ],
  css: 'p { color: red }',
  cookieBanners: true,
  loadingTime: '30000',
  failOnStatus: true,
  device: 'iPhone 15',
  colorScheme: 'dark',
  reducedMotion: true,
  deviceScaleFactor: '1.5',
  userAgent: 'Agent 1',
  timezone: 'Europe/Berlin',
  locale: 'de-DE',
  headers: [{ name: 'X-Token', value: 'secret-1' }],
  cookies: [{ name: 'session', value: 'secret-2' }],
  login: {
    usernameField: '#user',
    username: 'secret-3',
    passwordField: '#password',
    password: 'secret-4',
    button: '#go',
    origins: 'https://sso.example.com https://id.example.com',
  },
  area: 'upperhalf',
  style: 'macos-simple-dark',
  effects: [
    { effect: 'resize', options: { width: '800' } },
    { effect: 'shadow', options: { opacity: '0.5', color: '#ff0000 / 0.25' } },
  ],
}

const REQUEST: ScreenshotRequest = {
  screenshotParameter: {
    sizes: [
      { width: 1280, height: 800 },
      { width: 390, height: 844 },
      { width: 1440, height: 900 },
    ],
    fullPage: true,
    tags: ['a', 'b'],
    waitFor: '#app',
    delay: 500,
    hide: ['.chat', '#ad'],
    element: 'main',
    clicks: [{ elementId: '#menu', loadingTime: 1_000 }, { elementId: '#more' }],
    css: 'p { color: red }',
    cookieBanners: 'decline',
    device: 'iPhone 15',
    colorScheme: 'dark',
    reducedMotion: true,
    deviceScaleFactor: 1.5,
    userAgent: 'Agent 1',
    timezone: 'Europe/Berlin',
    locale: 'de-DE',
    headers: { 'X-Token': 'secret-1' },
    cookies: [{ name: 'session', value: 'secret-2' }],
    loginParameter: {
      username: { elementId: '#user', username: 'secret-3' },
      password: { elementId: '#password', password: 'secret-4' },
      loginButton: { elementId: '#go' },
      origins: ['https://sso.example.com', 'https://id.example.com'],
    },
    area: 'upperhalf',
    style: 'macos-simple-dark',
    effects: [
      { effect: 'resize', options: { width: 800 } },
      { effect: 'shadow', options: { opacity: 0.5, color: { r: 255, g: 0, b: 0, a: 0.25 } } },
    ],
  },
  urls: [{ url: 'https://a.example/', name: 'Home', loadingTime: 30_000 }],
  failOn: 'status',
}

/** The status of a request, with the fields that show the request. */
function statusOf({ screenshotParameter, urls, failOn }: ScreenshotRequest): Asked {
  const { sizes = [], width, height, tags = [], ...others } = screenshotParameter
  const window = sizes[0] ?? { width, height }
  const given = { ...window, fullPage: false, ...others, tags, ...(failOn && { failOn }) }
  const { options } = conceal(given as CaptureOptions)
  const pages = urls.flatMap(({ url, name, loadingTime = 15_000, ...own }) =>
    (sizes.length > 1 ? sizes : [{}]).map((size) => ({
      ...{ url, name, loadingTime, state: 'failed' },
      options: conceal({ ...own, ...size }).options,
    })),
  )
  return { tags, options, urls: pages as unknown as PageStatus[] }
}

test('URLs may have no scheme, may have names, and may be separated by commas', () => {
  const addresses =
    '\n example.com \r\nhttp://127.0.0.1:3000/a?b=c Our prices\n\n# no\nHTTPS://x.example/, b.example'
  expect(toRequest({ ...NEW, addresses })).toEqual({
    screenshotParameter: { width: 1280, height: 800 },
    urls: [
      { url: 'https://example.com', name: 'example.com' },
      { url: 'http://127.0.0.1:3000/a?b=c', name: 'Our prices' },
      { url: 'HTTPS://x.example/', name: 'HTTPS://x.example' },
      { url: 'https://b.example', name: 'b.example' },
    ],
  })
})

test('every field of the form is in the request', () => {
  expect(toRequest(FULL)).toEqual(REQUEST)
})

test('repeating a request fills in the form, without its secrets', () => {
  const again = fromRequest(askAgain(statusOf(REQUEST)))
  const typed = { ...FULL, hide: '.chat\n#ad', clicks: FULL.clicks.slice(1) }
  expect(again).toEqual(withoutSecrets(typed))
  expect(JSON.stringify(again)).not.toContain('secret')
  expect(lacksSecrets(again)).toBe(true)
  expect(lacksSecrets(FULL)).toBe(false)
})

test('options of single pages are kept when the form repeats a request', () => {
  const cookies = [{ name: 'session', value: 'secret' }]
  const own = { url: 'https://a.example/', name: 'Two\nlines', loadingTime: 9_000, cookies, delay: 7 }
  const plain = { url: 'https://b.example/', name: 'b.example' }
  const again = fromRequest(askAgain(statusOf({ screenshotParameter: PHONE, urls: [own, plain] })))
  expect([again.addresses, again.sizes]).toEqual([
    'https://a.example/ Two lines\nhttps://b.example/',
    ['Phone'],
  ])
  expect(again.ownSecrets).toEqual({ '/urls/0/cookies/0/value': '' })
  expect(lacksSecrets(again)).toBe(true)
  const { urls } = toRequest({ ...again, ownSecrets: { '/urls/0/cookies/0/value': 'secret' } })
  expect(urls).toEqual([
    { ...own, name: 'Two lines' },
    { ...plain, loadingTime: 15_000 },
  ])
})

test('property: a page that is repeated stays one page, whatever its URL and name', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ',', ' ', '#', '\n', 'https://', '/', 'é') })
  const page = fc.record({
    url: text.map((rest) => `https://a.example/${rest.trim()}`),
    name: text.map((rest) => rest || 'x'),
  })
  fc.assert(
    fc.property(fc.array(page, { minLength: 1, maxLength: 4 }), fc.boolean(), (pages, hasOwn) => {
      const urls = pages.map((each, index) => ({ ...each, ...(hasOwn && { delay: index }) }))
      const again = fromRequest(askAgain(statusOf({ screenshotParameter: PHONE, urls })))
      const read = toRequest(again).urls
      const inOrder = (some: readonly { url: string }[]) =>
        some.map(({ url }) => decodeURIComponent(url)).sort()
      expect(new Set(inOrder(read))).toEqual(new Set(inOrder(urls)))
      if (hasOwn) expect(new Set(read.map(({ delay }) => delay)).size).toBe(urls.length)
    }),
  )
})

test('tags are separated by commas; each counts once', () => {
  const { screenshotParameter } = toRequest({
    ...NEW,
    addresses: 'a.example',
    tags: ' release,, home page ,release',
  })
  expect(screenshotParameter.tags).toEqual(['release', 'home page'])
})

test('mistakes are shown at their fields, with line numbers from 1', () => {
  const addresses = '\nhttps://good.example/\n\nftp://bad.example/ Bad\n   \nhttp://'
  const draft = {
    ...NOTHING,
    addresses,
    otherSizes: [{ width: '0', height: '99999' }],
    tags: 'x'.repeat(101),
    loadingTime: 'soon',
  }
  const { mistakes = [] } = parseScreenshotRequest(toRequest(draft), LIMITS)
  const placed = placeMistakes(draft, mistakes)
  expect(placed.addresses?.map((text) => text.slice(0, 7))).toEqual(['Line 4 ', 'Line 6 '])
  expect(placed.sizes).toEqual([
    'The width must be a whole number from 1 to 4096',
    'The height must be a whole number from 1 to 16384',
  ])
  expect(placed.tags).toHaveLength(1)
  expect(placed.loadingTime).toEqual(['The time must be a whole number from 1 to 100000'])
  expect(placed.form).toBeUndefined()
  const none = parseScreenshotRequest(toRequest(NOTHING), LIMITS).mistakes ?? []
  expect(placeMistakes(NOTHING, none)).toEqual({
    addresses: ['The list must be a list of 1 to 100 pages'],
    sizes: ['Choose a size, or a device.'],
  })
})

test('mistakes in lists name their row', () => {
  const named = (place: string, detail = 'must be right') =>
    placeMistakes({ ...FULL, sizes: ['Phone'] }, [{ pointer: `#/screenshotParameter/${place}`, detail }])
  expect(named('sizes/0/width')).toEqual({ sizes: ['Phone: the width must be right'] })
  expect(named('sizes/1/height')).toEqual({ sizes: ['1440 × 900: the height must be right'] })
  expect(named('hide/1')).toEqual({ hide: ['Line 3 must be right'] })
  expect(named('clicks/0/elementId')).toEqual({ clicks: ['Click 2: the selector must be right'] })
  expect(named('cookies/0/value')).toEqual({ cookies: ['Cookie 1: the value must be right'] })
  expect(named('headers/a%20b~1c')).toEqual({ headers: ['“a b/c” must be right'] })
  expect(named('effects/1/options/opacity')).toEqual({ effects: ['2. Shadow: opacity must be right'] })
  expect(named('loginParameter/password/password')).toEqual({ login: ['The password must be right'] })
  expect(named('device', 'is not supported yet')).toEqual({ device: ['The device is not supported yet'] })
  expect(named('unheard', 'is not known')).toEqual({ form: ['unheard is not known'] })
})

test('mistakes behind "More" are recognised', () => {
  expect(areBehindMore({ addresses: ['x'], sizes: ['x'], tags: ['x'], form: ['x'] })).toBe(false)
  expect(areBehindMore({ delay: ['x'] })).toBe(true)
})

test('property: each mistake names an existing line, and correct lines are accepted', () => {
  const line = fc.oneof(
    fc.constantFrom(
      'https://a.example/',
      'http://[::1]:80/x,y?q=1',
      'b.example',
      'c.example/d Name',
      'a.example, b',
    ),
    fc.string(),
    fc.constant(''),
    fc.constant('javascript:alert(1)'),
    fc.string({ unit: ANY }),
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
      const addresses = lines.map((text) => text.replaceAll('\n', ' ')).join('\n')
      const draft = { ...NEW, addresses }
      const { asked, mistakes = [] } = parseScreenshotRequest(toRequest(draft), LIMITS)
      const placed = placeMistakes(draft, mistakes)
      expect(placed.form).toBeUndefined()
      expect(asked === undefined).toBe(placed.addresses !== undefined)
      const typed = addresses.split('\n')
      for (const mistake of placed.addresses ?? []) {
        const [, number] = /^Line (\d+)[ :]/.exec(mistake) ?? []
        if (number !== undefined) expect(typed[Number(number) - 1]?.trim()).not.toBe('')
      }
    }),
  )
})

test('property: any input is refused at its field, or sent', () => {
  const text = fc.oneof(
    fc.constant(''),
    fc.nat(200_000).map(String),
    fc.constantFrom('abc', 'NaN', '1e3', '-1', '#ff0000', 'null', ' '),
    fc.string({ maxLength: 8 }),
  )
  const pair = fc.record({ name: text, value: text })
  const typed = fc.record({
    ...{ waitFor: text, delay: text, hide: text, element: text, css: text, deviceScaleFactor: text },
    ...{ loadingTime: text, userAgent: text, timezone: text, locale: text },
    otherSizes: fc.array(fc.record({ width: text, height: text }), { maxLength: 2 }),
    clicks: fc.array(fc.record({ elementId: text, loadingTime: text }), { maxLength: 3 }),
    headers: fc.array(pair, { maxLength: 3 }),
    cookies: fc.array(pair, { maxLength: 3 }),
    area: fc.constantFrom('', ...AREAS),
    style: fc.constantFrom('', ...STYLES),
    effects: fc.array(
      fc.record({
        effect: fc.constantFrom(...EFFECT_NAMES),
        options: fc.record({ radius: text, margin: text, width: text, color: text }),
      }),
      { maxLength: 3 },
    ),
  })
  fc.assert(
    fc.property(typed, (fields) => {
      const draft: Draft = { ...NEW, addresses: 'a.example', ...fields }
      // The body that the service receives.
      const request = JSON.parse(JSON.stringify(toRequest(draft)))
      const { asked, mistakes = [] } = parseScreenshotRequest(request, LIMITS)
      const placed = placeMistakes(draft, mistakes)
      expect(placed.form).toBeUndefined()
      expect(asked === undefined).toBe(Object.keys(placed).length > 0)
      if (asked && draft.delay.trim() !== '') expect(asked.options.delay).toBe(Number(draft.delay))
    }),
  )
})

test('property: a colour is read as it was written', () => {
  const part = fc.nat(255)
  const color = fc.record({ r: part, g: part, b: part, a: fc.constantFrom(0, 0.125, 0.3, 1) })
  fc.assert(
    fc.property(color, (each) => {
      expect(readColor(writeColor(each))).toEqual(each)
    }),
  )
  for (const wrong of ['red', '#fff', '#ffffff /', '#ffffff / 1.2.3'])
    expect(readColor(wrong)).toBeUndefined()
})
