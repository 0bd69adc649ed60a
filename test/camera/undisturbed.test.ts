// @module-tag browser

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSize } from '../../src/picture/pixels.ts'
import { openTestCamera, paint, type Site, serveSite, type TestCamera } from '../support/camera/camera.ts'

/**
 * Reports to the server every event of the window and every change of its readable properties, except `outerWidth`: the engine
 * reports it as 0 to some first scripts, with or without a picture.
 */
const RECORDER = `
  const heard = []
  const read = () => JSON.stringify({
    inner: [innerWidth, innerHeight],
    screen: [screen.width, screen.height, screen.availWidth, screen.availHeight],
    visual: [visualViewport.width, visualViewport.height, visualViewport.scale, visualViewport.offsetTop],
    client: [document.documentElement.clientWidth, document.documentElement.clientHeight],
    ratio: devicePixelRatio, full: document.querySelector('#full')?.getBoundingClientRect().height,
    state: document.visibilityState, focus: document.hasFocus(), scroll: scrollY === 0 ? 0 : 'scrolled',
  })
  const first = read()
  let last = first
  const look = (when) => { const now = read(); if (now !== last) { last = now; heard.push(when + ' ' + now) } }
  const events = ['resize', 'blur', 'visibilitychange', 'orientationchange', 'beforeprint', 'pagehide', 'freeze']
  for (const name of events) addEventListener(name, () => { heard.push(name + ' ' + read()); tell() }, true)
  visualViewport.addEventListener('resize', () => { heard.push('visual resize'); tell() })
  for (const query of ['(height: 720px)', '(width: 1200px)', '(device-width: 1200px)', '(device-height: 720px)', 'print',
    '(orientation: landscape)', '(hover: hover)', '(prefers-reduced-motion: reduce)', '(max-width: 1px)']) {
    matchMedia(query).addEventListener('change', () => { heard.push('media ' + query); tell() })
  }
  const draw = () => { look('frame'); requestAnimationFrame(draw) }
  draw()
  const tell = () => navigator.sendBeacon('/heard', JSON.stringify({ first, heard }))
  // The page's own timers are stopped for the picture; those of a worker are not, so it can watch while the picture is taken.
  const worker = new Worker(URL.createObjectURL(new Blob(['setInterval(() => postMessage(0), 5)'])))
  let ticks = 0
  worker.onmessage = () => { look('timer'); if (ticks++ % 4 === 0) tell() }`

const told: { first: string; heard: string[] }[] = []
let site: Site
let camera: TestCamera

beforeAll(async () => {
  site = await serveSite({
    '/records': paint(
      '#ffffff',
      `<script>${RECORDER}</script><div id=full style="height:100vh"></div><div style="height:4000px"></div>`,
    ),
    '/heard': (answer, asked) => {
      let text = ''
      asked.on('data', (chunk) => {
        text += chunk
      })
      asked.on('end', () => {
        told.push(JSON.parse(text))
        answer.end()
      })
    },
  })
  // So small that large pictures are estimated before they are taken.
  camera = openTestCamera({ allow: `site.test:${site.port}`, limits: { bytes: 10_000_000 } })
})
afterAll(async () => {
  await camera.close()
  await site.close()
})

describe('a page that records its window', () => {
  // A window that is taken as it is, a full page, and a window too large for one picture.
  test.each([
    [1_200, 720, false],
    [1_200, 720, true],
    [4_096, 2_304, false],
  ])('sees the requested size, and no change (%i × %i, full page: %s)', async (width, height, fullPage) => {
    told.length = 0
    const { bytes } = await camera.take(`http://site.test:${site.port}/records`, {
      ...{ width, height, fullPage, loadingTime: 60_000 },
    })
    expect(await readSize(bytes)).toEqual({ width, height: fullPage ? 4_000 + height : height })
    const { first = '{}', heard = ['nothing was told'] } = told.at(-1) ?? {}
    const window = {
      ...{
        inner: [width, height],
        screen: [width, height, width, height],
        client: [width, height],
        ratio: 1,
      },
      ...{ visual: [width, height, 1, 0], state: 'visible', focus: true, scroll: 0 },
    }
    expect(JSON.parse(first)).toEqual(window)
    // The only change: the box appears, as high as the window.
    const changes = heard.map((line) => line.replace(/^(frame|timer) /, ''))
    expect(changes).toEqual([expect.stringMatching(/^{.*}$/)])
    expect(JSON.parse(changes[0] ?? '')).toEqual({ ...window, full: height })
  })
})
