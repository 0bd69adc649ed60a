// @module-tag browser

import { devices } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { OwnOptions } from '../../src/contract/capture-options.ts'
import { findTestBrowser } from '../support/browser/test-browser.ts'
import {
  openTestCamera,
  paint,
  readPixels,
  type Site,
  serveSite,
  type TestCamera,
} from '../support/camera/camera.ts'

const WHITE = '#ffffff'

/** The title says what the page was told, and with which headers it was requested. */
const tells = (
  headers: NodeJS.Dict<string | string[]>,
) => `<meta name=viewport content="width=device-width"><script>
  const is = (query) => matchMedia(query).matches
  const { brands = [], mobile, platform } = navigator.userAgentData ?? {}
  document.title = JSON.stringify({
    agent: navigator.userAgent, platform: navigator.platform, touch: navigator.maxTouchPoints > 0,
    brands: brands.map(({ brand }) => brand), hints: [mobile, platform],
    languages: navigator.languages, number: (1234.5).toLocaleString(), hour: new Date(0).getHours(),
    dark: is('(prefers-color-scheme: dark)'), still: is('(prefers-reduced-motion: reduce)'),
    ratio: devicePixelRatio, inner: [innerWidth, innerHeight], screen: [screen.width, screen.height],
    headers: ${JSON.stringify(headers)},
  })</script>`

let site: Site
let camera: TestCamera

beforeAll(async () => {
  site = await serveSite({
    '/tells': (answer, { headers }) => {
      // Chromium sends client hints to secure origins only, and to localhost.
      answer.writeHead(200, { 'content-type': 'text/html' }).end(paint(WHITE, tells(headers)))
    },
  })
  camera = openTestCamera({ allow: `localhost:${site.port}` })
})
afterAll(async () => {
  await camera.close()
  await site.close()
})

async function toldWith(options: OwnOptions, by = camera) {
  const { bytes, seen } = await by.take(`http://localhost:${site.port}/tells`, options)
  const { width, height } = await readPixels(bytes)
  return { ...JSON.parse(seen.title), picture: [width, height] }
}

describe('the visitor that a page sees', () => {
  test('has, without options, a desktop, light colours and motion', async () => {
    expect(await toldWith({})).toMatchObject({
      ...{ dark: false, still: false, touch: false, ratio: 1, languages: ['en-US'] },
      ...{ inner: [1200, 720], screen: [1200, 720], picture: [1200, 720] },
    })
  })

  test('speaks English without options, whatever the language of the machine', async () => {
    const found = await findTestBrowser()
    const machine = { LANG: 'de_DE.UTF-8', LC_ALL: 'fr_FR.UTF-8' }
    const own = openTestCamera({
      allow: `localhost:${site.port}`,
      find: async () => ({ ...found, prepare: async () => ({ ...(await found.prepare()), ...machine }) }),
    })
    onTestFinished(() => own.close())
    const english = { languages: ['en-US'], number: '1,234.5', headers: { 'accept-language': 'en-US' } }
    expect(await toldWith({}, own)).toMatchObject(english)
    expect(await toldWith({ userAgent: 'Mine/1.0' }, own)).toMatchObject(english)
  })

  test('has the given preferences, language and time zone', async () => {
    const asked = {
      colorScheme: 'dark',
      reducedMotion: true,
      locale: 'de-DE',
      timezone: 'Asia/Tokyo',
    } as const
    expect(await toldWith(asked)).toMatchObject({
      ...{ dark: true, still: true, languages: ['de-DE'], number: '1.234,5', hour: 9 },
      headers: { 'accept-language': 'de-DE' },
    })
  })

  test('has a time zone and a user agent that the browser would not accept as given', async () => {
    const asked = {
      timezone: 'asia/tokyo',
      userAgent: 'Mozilla/5.0 (Linux; Android 14; Modèle "8" 😀) Chrome/120.0.0.0 Mobile Safari/537.36',
    }
    expect(await toldWith(asked)).toMatchObject({
      hour: 9,
      agent: asked.userAgent,
      hints: [false, 'Android'],
    })
  })

  test('has the given device: user agent, window, screen, scale and touch', async () => {
    const { userAgent } = devices['iPhone 15'] ?? {}
    expect(await toldWith({ device: 'iPhone 15', width: 393, height: 659 })).toMatchObject({
      ...{ agent: userAgent, platform: 'iPhone', touch: true, ratio: 3 },
      ...{ inner: [393, 659], screen: [393, 852], picture: [1179, 1977] },
      // Safari has no client hints.
      brands: [],
      headers: expect.not.objectContaining({ 'sec-ch-ua': expect.anything() }),
    })
  })

  test('has the client hints of Chrome on an Android device', async () => {
    const told = await toldWith({ device: 'Pixel 7', width: 412, height: 839 })
    expect(told).toMatchObject({
      ...{ brands: ['Not:A-Brand', 'Chromium', 'Google Chrome'], hints: [true, 'Android'], ratio: 2.625 },
      headers: { 'sec-ch-ua-platform': '"Android"', 'sec-ch-ua-mobile': '?1' },
    })
    expect(told.headers['sec-ch-ua']).toContain('Google Chrome')
  })

  test('has the given user agent and scale, even beside a device', async () => {
    const asked = {
      device: 'iPhone 15',
      userAgent: 'Mine/1.0',
      deviceScaleFactor: 2,
      width: 300,
      height: 200,
    } as const
    expect(await toldWith(asked)).toMatchObject({
      ...{ agent: 'Mine/1.0', touch: true, brands: [], ratio: 2, inner: [300, 200], screen: [300, 200] },
      ...{ picture: [600, 400], headers: { 'user-agent': 'Mine/1.0' } },
    })
  })
})
