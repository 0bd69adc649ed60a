// @module-tag browser

import type { CDPSession, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Exposed, expose } from '../../src/camera/expose.ts'
import { type LaunchedBrowser, launchBrowser } from '../../src/camera/launch.ts'
import { openWindow, takeFrame } from '../../src/camera/window.ts'
import { findTestBrowser } from '../support/browser/test-browser.ts'
import { noDeadline } from '../support/camera/no-deadline.ts'

const WIDTH = 600
const WINDOW = 400
const HEIGHT = 4_000
const LINES = Array.from(
  { length: HEIGHT / 20 },
  (_, index) => `Line ${index}: ${'word '.repeat(index % 17)}`,
)

let browser: LaunchedBrowser
let page: Page
let session: CDPSession

beforeAll(async () => {
  browser = await launchBrowser(await findTestBrowser())
  page = await browser.browser.newPage({ viewport: { width: WIDTH, height: WINDOW } })
  session = await openWindow(page, { width: WIDTH, height: WINDOW })
  await page.setContent(
    `<body style="margin:0;font:14px/20px monospace;white-space:nowrap;overflow-x:hidden">${LINES.join('<br>')}`,
  )
})
afterAll(() => browser.close())

type Fault = (picture: Buffer) => Promise<Buffer>

/** Like the browser, but the first pictures of the whole page are spoilt. */
function spoil(fault: Fault, times: number): { session: CDPSession; taken: () => number } {
  let taken = 0
  const send = async (method: string, params?: { clip?: { height: number } }) => {
    const answer = await session.send(method as 'Page.captureScreenshot', params as never)
    if (method !== 'Page.captureScreenshot' || params?.clip?.height !== HEIGHT || ++taken > times)
      return answer
    return { data: (await fault(Buffer.from(answer.data, 'base64'))).toString('base64') }
  }
  return { session: { send } as unknown as CDPSession, taken: () => taken }
}

async function take(through: CDPSession, bytes = 33_554_432, fullPage = true): Promise<Exposed> {
  const options = { width: WIDTH, height: WINDOW, fullPage }
  return await expose(
    page,
    through,
    { frame: fullPage ? '' : await takeFrame(session), atRest: true },
    { url: 'http://site.test/', options, loadingTime: 1_000 },
    {
      limits: { height: 16_384, pixels: 67_108_864, bytes },
      deadline: noDeadline(),
      signal: new AbortController().signal,
    },
  )
}

/** `height` rows of the picture, from `top` on. */
const cut = (picture: Buffer, top: number, height: number) =>
  sharp(picture).extract({ left: 0, top, width: WIDTH, height }).png().toBuffer()

const blank = (height: number) =>
  sharp({ create: { width: WIDTH, height, channels: 3, background: 'white' } })

/** These pictures, one below the other. */
const stack = (parts: readonly { top: number; input: Buffer }[]) =>
  blank(HEIGHT)
    .composite(parts.map(({ top, input }) => ({ left: 0, top, input })))
    .png()
    .toBuffer()

const repeatWindow: Fault = async (picture) => {
  const input = await cut(picture, 0, WINDOW)
  return await stack(Array.from({ length: HEIGHT / WINDOW }, (_, index) => ({ top: index * WINDOW, input })))
}

const FAULTS: readonly [string, Fault][] = [
  ['its first window again and again', repeatWindow],
  [
    'all of it a line lower',
    async (picture) => stack([{ top: 20, input: await cut(picture, 0, HEIGHT - 20) }]),
  ],
  [
    'nothing below the middle',
    async (picture) => stack([{ top: 0, input: await cut(picture, 0, HEIGHT / 2) }]),
  ],
  ['only the window', (picture) => cut(picture, 0, WINDOW)],
]

describe('a wrong picture', () => {
  test.each(FAULTS)('is taken again: %s', async (_, fault) => {
    const right = await take(session)
    const spoilt = spoil(fault, 1)
    expect((await take(spoilt.session)).bytes.equals(right.bytes)).toBe(true)
    expect(spoilt.taken()).toBe(2)
  })

  test('is never returned', async () => {
    const spoilt = spoil(repeatWindow, Number.POSITIVE_INFINITY)
    await expect(take(spoilt.session)).rejects.toMatchObject({ reason: 'unsteady' })
    expect(spoilt.taken()).toBe(4)
  })
})

describe('a picture with more bytes than allowed', () => {
  test('fails before it is ever taken whole', async () => {
    const { length } = (await take(session)).bytes
    const watched = spoil(async (picture) => picture, 0)
    await expect(take(watched.session, length / 3)).rejects.toMatchObject({
      reason: 'too_large',
      message: expect.stringMatching(
        /600 × 4000 pixels, has some .* MB, more than .* MB \(MAX_CAPTURE_BYTES\)/,
      ),
    })
    expect(watched.taken()).toBe(0)
  })

  test('is taken whole if it may be small enough, and its exact size then decides', async () => {
    const { bytes } = await take(session)
    expect((await take(session, bytes.length)).bytes.equals(bytes)).toBe(true)
    await expect(take(session, bytes.length - 1)).rejects.toMatchObject({ reason: 'too_large' })
  })

  test('is not returned if it only shows the window either', async () => {
    const { length } = (await take(session, undefined, false)).bytes
    expect((await take(session, length, false)).bytes).toHaveLength(length)
    await expect(take(session, length - 1, false)).rejects.toMatchObject({ reason: 'too_large' })
  })
})
