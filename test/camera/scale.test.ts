// @module-tag browser

import type { CDPSession } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { expose } from '../../src/camera/expose.ts'
import { launchBrowser } from '../../src/camera/launch.ts'
import { openWindow } from '../../src/camera/window.ts'
import { findTestBrowser } from '../support/browser/test-browser.ts'
import {
  openTestCamera,
  paint,
  readPixels,
  type Site,
  serveSite,
  type TestCamera,
} from '../support/camera/camera.ts'
import { noDeadline } from '../support/camera/no-deadline.ts'

const WHITE = '#ffffff'
const box = (left: number, top: number, colour: string) =>
  `<div style="position:absolute;left:${left}px;top:${top}px;width:40px;height:40px;background:${colour}"></div>`
const LONG = `<div style="height:2000px"></div>${box(0, 0, '#ff0000')}${box(200, 1000, '#00ff00')}${box(300, 1960, '#0000ff')}`

let site: Site
let camera: TestCamera

beforeAll(async () => {
  site = await serveSite({
    '/long': paint(WHITE, LONG),
    // Made for large windows: a phone shows it 980 pixels wide, scaled down.
    '/for-desktops': paint(
      WHITE,
      `${LONG}${box(940, 1500, '#ff00ff')}
      <div id=part style="position:absolute;left:301px;top:703px;width:57px;height:43px;background:#ff0"></div>`,
    ),
  })
  camera = openTestCamera({
    allow: `site.test:${site.port}`,
    limits: { height: 5_300, pixels: 6_600_000 },
  })
})
afterAll(async () => {
  await camera.close()
  await site.close()
})

const at = (path: string) => `http://site.test:${site.port}${path}`

describe('a picture with a scale above 1', () => {
  // 2.625 is the scale of phones: no row of the page begins at a whole row of the picture. With 2.5 no strip has whole rows of the page.
  test.each([2, 2.5, 2.625])('shows the whole page: %d', async (deviceScaleFactor) => {
    const asked = { deviceScaleFactor, width: 400, height: 300, fullPage: true }
    const { bytes, seen } = await camera.take(at('/long'), asked)
    const picture = await readPixels(bytes)
    const colourAt = (x: number, y: number) =>
      picture.at(Math.round(x * deviceScaleFactor), Math.round(y * deviceScaleFactor))
    expect([picture.width, picture.height]).toEqual([400 * deviceScaleFactor, 2_000 * deviceScaleFactor])
    expect([colourAt(20, 20), colourAt(220, 1_020), colourAt(220, 1_060), colourAt(320, 1_980)]).toEqual([
      ...['#ff0000', '#00ff00', WHITE, '#0000ff'],
    ])
    expect(seen.marks).toEqual([])
  })

  test('is cut at the pixel limit of a picture', async () => {
    const take = async (width: number) => {
      const asked = { width, deviceScaleFactor: 3, height: 300, fullPage: true }
      const { bytes, seen } = await camera.take(at('/long'), asked)
      const { width: columns, height: rows } = await readPixels(bytes)
      return { columns, rows, marks: seen.marks }
    }
    // By its height: 1766 rows of the window.
    expect(await take(400)).toEqual({ columns: 1_200, rows: 5_298, marks: ['cut'] })
    // By its pixels: 916 rows.
    expect(await take(800)).toEqual({ columns: 2_400, rows: 2_748, marks: ['cut'] })
  })

  test('is taken again if it is wrong', async () => {
    const [width, height, scale] = [300, 200, 2]
    const browser = await launchBrowser(await findTestBrowser())
    onTestFinished(() => browser.close())
    const page = await browser.browser.newPage({ viewport: { width, height } })
    const options = { width, height, fullPage: true, deviceScaleFactor: scale }
    const session = await openWindow(page, options)
    const lines = Array.from({ length: 60 }, (_, index) => `Line ${index}: ${'word '.repeat(index % 7)}`)
    await page.setContent(
      `<body style="margin:0;font:14px/20px monospace;white-space:nowrap;overflow-x:hidden">${lines.join('<br>')}`,
    )
    let wrong = 1
    /** The first picture of the whole page repeats its first window. */
    const send = async (method: string, params?: { clip?: { height: number } }) => {
      const answer = await session.send(method as 'Page.captureScreenshot', params as never)
      if (method !== 'Page.captureScreenshot' || params?.clip?.height !== 1_200 || wrong-- < 1) return answer
      const whole = sharp(Buffer.from(answer.data, 'base64'))
      const input = await whole.clone().extract({ left: 0, top: 0, width: 600, height: 400 }).png().toBuffer()
      const copies = [400, 800, 1_200, 1_600, 2_000].map((top) => ({ input, left: 0, top }))
      return { data: (await whole.composite(copies).png().toBuffer()).toString('base64') }
    }
    const { bytes } = await expose(
      page,
      { send } as unknown as CDPSession,
      { frame: '', atRest: true },
      { url: at('/'), options, loadingTime: 1_000 },
      {
        limits: { height: 9_000, pixels: 9_000_000, bytes: 9_000_000 },
        deadline: noDeadline(),
        signal: new AbortController().signal,
      },
    )
    expect(wrong).toBe(-1)
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 600, height: 2_400 })
  })
})

test('on a phone, a page that is wider than the window is scaled down to fit, even as a full page', async () => {
  const asked = { device: 'iPhone 15', width: 393, height: 300, fullPage: true } as const
  const { bytes, seen } = await camera.take(at('/for-desktops'), asked)
  const picture = await readPixels(bytes)
  const scale = (393 * 3) / 980
  const colourAt = (x: number, y: number) => picture.at(Math.round(x * scale), Math.round(y * scale))
  expect([picture.width, picture.height]).toEqual([1_179, Math.round(2_000 * scale)])
  expect([colourAt(20, 20), colourAt(220, 1_020), colourAt(960, 1_520), colourAt(320, 1_980)]).toEqual([
    ...['#ff0000', '#00ff00', '#ff00ff', '#0000ff'],
  ])
  expect(seen.marks).toEqual([])
  const element = await camera.take(at('/for-desktops'), { ...asked, fullPage: false, element: '#part' })
  const part = await readPixels(element.bytes)
  // 57 × 43 pixels of the page.
  expect([part.width, part.height, part.at(3, 3), part.at(65, 48)]).toEqual([69, 52, '#ffff00', '#ffff00'])
})
