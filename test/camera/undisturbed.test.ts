// @module-tag browser

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestCamera, paint, type Site, serveSite, type TestCamera } from '../support/camera.ts'

/**
 * Tells the server of every event of the window and of every change of what can be read of it. But for `outerWidth`: to some
 * first scripts the engine says 0, whoever takes pictures or not.
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
  for (const name of events) addEventListener(name, () => heard.push(name + ' ' + read()), true)
  visualViewport.addEventListener('resize', () => heard.push('visual resize'))
  for (const query of ['(height: 720px)', '(width: 1200px)', '(device-width: 1200px)', '(device-height: 720px)', 'print',
    '(orientation: landscape)', '(hover: hover)', '(prefers-reduced-motion: reduce)', '(max-width: 1px)']) {
    matchMedia(query).addEventListener('change', () => heard.push('media ' + query))
  }
  const draw = () => { look('frame'); requestAnimationFrame(draw) }
  draw()
  setInterval(() => look('timer'), 1)
  setInterval(() => navigator.sendBeacon('/heard', JSON.stringify({ first, heard })), 20)`

const told: { first: string; heard: string[] }[] = []
let site: Site
let camera: TestCamera

beforeAll(async () => {
  site = await serveSite({
    '/records': paint(
      '#ffffff',
      `<script>${RECORDER}</script><div id=full style="height:100vh"></div><div style="height:9000px"></div>`,
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
  camera = openTestCamera({ allow: `site.test:${site.port}` })
})
afterAll(async () => {
  await camera.close()
  await site.close()
})

describe('a page that records its window', () => {
  test.each([false, true])(
    'sees one of the size that was asked for, and no change (full page: %s)',
    async (fullPage) => {
      told.length = 0
      // Its beacons never end, so it is taken when its time is over: long after what was drawn for the picture.
      await camera.take(`http://site.test:${site.port}/records`, { fullPage, loadingTime: 4_000 })
      const last = told.at(-1)
      const scrolled = last?.heard.filter((line) => !/^(frame|timer) .*"scroll":("scrolled"|0)/.test(line))
      expect(scrolled).toEqual([])
      expect(JSON.parse(last?.first ?? '{}')).toMatchObject({
        ...{ inner: [1200, 720], screen: [1200, 720, 1200, 720] },
        ...{ visual: [1200, 720, 1, 0], client: [1200, 720], ratio: 1, state: 'visible', focus: true },
      })
      // Of what it could read, nothing changed but how far it was scrolled.
      const values = new Set(last?.heard.map((line) => line.replace(/^\w+ /, '').replace('"scrolled"', '0')))
      expect([...values].length).toBeLessThanOrEqual(1)
    },
  )
})
