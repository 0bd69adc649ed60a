// @module-tag browser

import { describe, expect, test } from 'vitest'
import type { Shot } from '../../src/camera/camera.ts'
import { type Handler, HTML, openTestCamera, paint, readPixels, serveSite } from '../support/camera/camera.ts'
import { useServer } from '../support/servers/use-servers.ts'

// What a page shows only when someone scrolls to it: in frames, in closed shadow roots, on backgrounds that do not move.

const [WHITE, RED, GREEN, BLUE] = ['#ffffff', '#ff0000', '#00ff00', '#0000ff']
/** A picture of one colour. */
const svg =
  (colour: string, size = 'width="40" height="20"'): Handler =>
  (answer) =>
    void answer
      .writeHead(200, { 'content-type': 'image/svg+xml' })
      .end(
        `<svg xmlns="http://www.w3.org/2000/svg" ${size}><rect width="100%" height="100%" fill="${colour}"/></svg>`,
      )

const EVERY = 560
const COUNT = 10
const places = Array.from({ length: COUNT }, (_, index) => index * EVERY)
const at = (top: number, more: string) => `position:absolute;top:${top}px;width:50px;height:50px;${more}`
const images = places
  .map((top) => `<img loading=lazy src=/green.svg?${top} style="${at(top, 'left:0')}">`)
  .join('')
/** Boxes that a script fills when they come into the window. */
const boxes = `${places.map((top) => `<div class=box style="${at(top, 'left:100px')}"></div>`).join('')}<script>
  const seen = new IntersectionObserver((all) => {
    for (const { target, isIntersecting } of all) if (isIntersecting) target.style.background = '${GREEN}'
  })
  for (const each of document.querySelectorAll('.box')) seen.observe(each)
  </script>`
const tall = `<div style="height:${COUNT * EVERY}px"></div>`
const inRoot = `<style>.far { content-visibility: auto; contain-intrinsic-size: auto 50px }</style>
  ${images}${places.map((top) => `<div class=far style="${at(top, 'left:100px')}"><div style="height:50px;background:${GREEN}"></div></div>`).join('')}`
const text = (top: number) =>
  `<div style="${at(top, `left:300px;width:90px;height:90px;background:${BLUE}`)}"></div>`

const site = useServer(() =>
  serveSite({
    '/green.svg': svg(GREEN),
    '/red.svg': svg(RED),
    '/inside': (answer) => void answer.writeHead(200, HTML).end(paint(WHITE, tall + images + boxes)),
    '/framed': paint(WHITE, frame('/inside')),
    '/framed-later': paint(WHITE, `<div style="height:2000px"></div>${frame('/inside', 'loading=lazy')}`),
    '/framed-twice': paint(WHITE, frame('/framed')),
    '/scripted-root': paint(
      WHITE,
      `${tall}<div id=host></div><script>host.attachShadow({ mode: 'closed' }).innerHTML = ${JSON.stringify(inRoot)}</script>`,
    ),
    '/declared-root': paint(
      WHITE,
      `${tall}<div><template shadowrootmode=closed><section><template shadowrootmode=closed>${inRoot}</template></section></template></div>`,
    ),
    '/photo': fixedPage('body { background: url(/red.svg) center / cover fixed }'),
    '/gradient': fixedPage('html { background: linear-gradient(#ff0000, #ff0000) fixed }'),
    '/section': fixedPage(
      '#section { position: absolute; top: 2400px; left: 0; right: 0; height: 600px; background: url(/red.svg) center / cover fixed }',
    ),
    '/backdrop': fixedPage('#backdrop { position: fixed; inset: 0; z-index: -1; background: #ff0000 }'),
    '/in-front': fixedPage(
      '#backdrop { position: fixed; inset: 0; background: #ff0000 } main { position: relative }',
    ),
    '/over-all': fixedPage('#backdrop { position: fixed; inset: 0; z-index: 9; background: #ff000080 }'),
  }),
)
const camera = useServer(async () =>
  openTestCamera({ allow: `site.test:${site.port},other.test:${site.port}` }),
)

function frame(path: string, more = ''): string {
  return `<iframe src="${path}" ${more} style="border:0;width:100%;height:${COUNT * EVERY}px"></iframe>`
}

function fixedPage(style: string): string {
  return `<!doctype html><style>body { margin: 0; height: 3000px } ${style}</style><div id=backdrop></div><div id=section></div><main>
    ${text(100)}${text(2700)}</main>`
}

async function take(path: string, host = 'site.test'): Promise<Shot> {
  return await camera.take(`http://${host}:${site.port}${path}`, {
    ...{ width: 600, height: 800, fullPage: true, loadingTime: 60_000 },
  })
}

/** The colours in a column, at the places. */
async function coloursOf(shot: Shot, left: number, from = 0): Promise<string[]> {
  const picture = await readPixels(shot.bytes)
  return places.map((top) => picture.at(left + 25, from + top + 25))
}
const ALL_GREEN = places.map(() => GREEN)

describe('frames that are longer than the window', () => {
  test.each([
    ['of the same origin', '/framed', 0],
    ['that load when they come near', '/framed-later', 2000],
    ['in another frame', '/framed-twice', 0],
  ])('%s: everything in them is loaded', async (_, path, from) => {
    const shot = await take(path)
    expect(await coloursOf(shot, 0, from)).toEqual(ALL_GREEN)
    expect(await coloursOf(shot, 100, from)).toEqual(ALL_GREEN)
  })

  test('of another origin: everything in them is loaded', async () => {
    const address = `http://other.test:${site.port}/inside`
    const page = await serveSite({ '/': paint(WHITE, frame(address)) })
    const own = openTestCamera({ allow: `site.test:${page.port},other.test:${site.port}` })
    try {
      const shot = await own.take(`http://site.test:${page.port}/`, {
        ...{ width: 600, height: 800, fullPage: true, loadingTime: 60_000 },
      })
      expect(await coloursOf(shot, 0)).toEqual(ALL_GREEN)
      expect(await coloursOf(shot, 100)).toEqual(ALL_GREEN)
    } finally {
      await own.close()
      await page.close()
    }
  })
})

test.each(['/scripted-root', '/declared-root'])(
  'a closed shadow root is loaded and drawn: %s',
  async (path) => {
    const shot = await take(path)
    expect(await coloursOf(shot, 0)).toEqual(ALL_GREEN)
    expect(await coloursOf(shot, 100)).toEqual(ALL_GREEN)
  },
)

describe('what is fixed to the window', () => {
  test.each(['/photo', '/gradient', '/backdrop', '/in-front'])('covers the whole page: %s', async (path) => {
    const picture = await readPixels((await take(path)).bytes)
    expect(picture.height).toBe(3_000)
    expect([10, 900, 1_700, 2_990].map((y) => picture.at(10, y))).toEqual([RED, RED, RED, RED])
    expect([picture.at(325, 125), picture.at(325, 2_725)]).toEqual([BLUE, BLUE])
  })

  test('is in a section far below', async () => {
    const picture = await readPixels((await take('/section')).bytes)
    expect([2_390, 2_410, 2_990].map((y) => picture.at(10, y))).toEqual([WHITE, RED, RED])
  })

  test('stays as high as the window if it is before everything', async () => {
    const picture = await readPixels((await take('/over-all')).bytes)
    expect([10, 790, 810, 2_990].map((y) => picture.at(10, y))).toEqual(['#ff7f7f', '#ff7f7f', WHITE, WHITE])
  })
})
