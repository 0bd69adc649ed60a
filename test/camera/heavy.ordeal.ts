// @module-tag browser

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { withinBudget } from '../../src/camera/window.ts'
import {
  findBrowsers,
  openTestCamera,
  paint,
  readPixels,
  serveSite,
  type Wanted,
} from '../support/camera/camera.ts'
import { useServer } from '../support/servers/use-servers.ts'
import { A_WHILE, BLUE, FOREVER, GREEN } from './use-site.ts'

// The heaviest requests possible. `npm run bench -- heavy` measures them.

/** More pixels than the pages of a process may take at a time. */
const LARGE_HEIGHT = 8_000
const box = (top: number, width: number, height: number, more: string) =>
  `<div style="position:absolute;left:0;top:${top}px;width:${width}px;height:${height}px;${more}"></div>`

const site = useServer(() =>
  serveSite({
    '/green': paint(GREEN),
    '/long': paint(GREEN, `<div style="height:3000px"></div>`),
    '/longer': paint(GREEN, `<div style="height:${LARGE_HEIGHT}px"></div>`),
    '/restless': paint(
      GREEN,
      '<p id=p>0<script>setInterval(() => { p.textContent = Math.random() }, 30)</script>',
    ),
    // All of it is below the window.
    '/slow': paint(GREEN, box(1_000, 1_200, 800, 'backdrop-filter:blur(40px);background:#0101').repeat(500)),
    '/beside': paint(GREEN, `<div>${'<b></b>'.repeat(5_000)}</div>`),
    '/huge': paint(
      GREEN,
      `<div id=huge style="width:6000px;height:20000px;background:${BLUE}"></div>
      <div style="width:300px;height:300px;overflow:auto"><div id=boxed style="width:6000px;height:100000px;background:${BLUE}"></div></div>`,
    ),
  }),
)
const at = (path: string) => `http://site.test:${site.port}${path}`

function open(rules: Partial<Parameters<typeof openTestCamera>[0]> = {}) {
  const camera = openTestCamera({ allow: `site.test:${site.port}`, ...rules })
  onTestFinished(() => camera.close())
  return camera
}

/** Another page draws a very large picture until `end` is called. */
function drawElsewhere(): { end(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stay = { signal: new AbortController().signal, holdMs: FOREVER, owner: 'another' }
  const drawing = withinBudget(67_108_864, stay, () => promise)
  onTestFinished(async () => {
    resolve()
    await drawing
  })
  return { end: resolve }
}

describe('a large picture', () => {
  test('waits for another one, and the wait does not count against its time', async () => {
    const [loadingTime, graceMs] = [A_WHILE, 500]
    const camera = open({ graceMs })
    const elsewhere = drawElsewhere()
    const shot = camera.take(at('/longer'), { fullPage: true, loadingTime })
    let failure: unknown
    shot.catch((error) => {
      failure = error
    })
    // Longer than the time it has for everything else.
    await sleep(loadingTime + graceMs + 1_500)
    expect(failure).toBeUndefined()
    elsewhere.end()
    expect((await readPixels((await shot).bytes)).height).toBe(LARGE_HEIGHT)
  })

  test('does not delay a smaller one', async () => {
    const camera = open()
    drawElsewhere()
    const { bytes } = await camera.take(at('/long'), { fullPage: true })
    expect((await readPixels(bytes)).height).toBe(3_000)
  })

  test('of a window is drawn by a browser of its own', async () => {
    const camera = open()
    const before = new Set(findBrowsers())
    const started = () => findBrowsers().filter((pid) => !before.has(pid)).length
    await camera.take(at('/green'))
    expect(started()).toBe(1)
    await camera.take(at('/green'), { height: LARGE_HEIGHT })
    expect(started()).toBe(2)
    await camera.take(at('/green'), { height: 800 })
    expect(started()).toBe(2)
  })

  test('has time in proportion to its pixels', async () => {
    // Nothing is drawn yet when its loading time is over.
    const camera = open({ graceMs: 1 })
    const { bytes } = await camera.take(at('/restless'), { height: 2 * LARGE_HEIGHT, loadingTime: 1_000 })
    expect((await readPixels(bytes)).height).toBe(2 * LARGE_HEIGHT)
  })

  test('that takes the browser too long fails with a message that says so', async () => {
    const camera = open({ graceMs: A_WHILE })
    await expect(camera.take(at('/slow'), { fullPage: true, loadingTime: A_WHILE })).rejects.toMatchObject({
      reason: 'timeout',
      message: expect.stringMatching(
        /^The picture of site\.test:\d+, 1200 × 1800 pixels, was not drawn 4260 ms after its loading time of 4000 ms\. Use a smaller window/,
      ),
    })
    expect(camera.gates.size).toBe(0)
  })
})

describe('a selector that the browser never finishes evaluating', () => {
  const HAS = ':is(:is(b:has(~ i) ~ b) ~ b) ~ b'
  const NOT = ':not(:not(:not(:not(i ~ b) ~ b) ~ b) ~ b)'
  const impatient = useServer(async () =>
    openTestCamera({ allow: `site.test:${site.port}`, graceMs: FOREVER, answerMs: 500 }),
  )

  test.each<[string, Wanted, string]>([
    ['to wait for', { waitFor: HAS }, `waitFor, ${HAS}`],
    ['to click on', { clicks: [{ elementId: NOT }, { elementId: '#next' }] }, `clicks, ${NOT}`],
    ['to hide', { css: 'p { color: red }', hide: ['#none', HAS] }, 'css and hide'],
  ])('%s fails when the loading time is over, and the message names the option', async (_, wanted, named) => {
    const shot = impatient.take(at('/beside'), { ...wanted, loadingTime: A_WHILE })
    await expect(shot).rejects.toMatchObject({
      reason: 'timeout',
      message:
        `site.test:${site.port} kept the browser busy: it did not answer for 500 ms after its loading time of ${A_WHILE} ms. ` +
        `It was last asked for ${named}: a selector there may take the browser too long.`,
    })
    expect(impatient.gates.size).toBe(0)
  })

  test('leaves the browser usable for the next page', async () => {
    const [browser] = findBrowsers()
    await expect(impatient.take(at('/beside'), { element: NOT, loadingTime: A_WHILE })).rejects.toMatchObject(
      { reason: 'timeout' },
    )
    expect((await readPixels((await impatient.take(at('/green'))).bytes)).at(0, 0)).toBe(GREEN)
    expect(findBrowsers()).toContain(browser)
  })
})

describe('a huge element', () => {
  const limits = { height: 1_000, pixels: 500_000 }

  test('is cut at the limits of a picture, even inside a scrolling box', async () => {
    const camera = open({ limits })
    const take = async (element: string) => {
      const { bytes, seen } = await camera.take(at('/huge'), { element, deviceScaleFactor: 3 })
      return { ...(await readPixels(bytes)), marks: seen.marks }
    }
    const { width, height, at: pixelAt, marks } = await take('#huge')
    expect(width).toBeGreaterThan(990)
    expect(width).toBeLessThanOrEqual(limits.height)
    expect(width * height).toBeGreaterThan(490_000)
    expect(width * height).toBeLessThanOrEqual(limits.pixels)
    expect(pixelAt(width - 1, height - 1)).toBe(BLUE)
    expect(marks).toEqual(['cut', 'wide'])
    const boxed = await take('#boxed')
    expect(boxed.width * boxed.height).toBeLessThanOrEqual(limits.pixels)
    expect(boxed.marks).toContain('wide')
  })
})
