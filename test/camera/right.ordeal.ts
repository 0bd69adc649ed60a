// @module-tag browser

import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Shot } from '../../src/camera/camera.ts'
import {
  HTML,
  openTestCamera,
  paint,
  readPixels,
  type Site,
  serveSite,
  type TestCamera,
} from '../support/camera/camera.ts'

const RED = '#ff0000'
const GREEN = '#00ff00'
const WHITE = '#ffffff'

const box = (id: string, top: number, style: string) =>
  `<div id=${id} style="position:absolute;left:0;top:${top}px;width:100px;height:100px;${style}"></div>`
const far = '<div style="height:6000px"></div>'
/** Marks every 500 pixels, each in a colour of its own, on a page that is higher than one picture of the browser. */
const ruler = Array.from({ length: 24 }, (_, index) =>
  box(`m${index}`, index * 500, `background:${colourOf(index)}`),
)
/** Red for 20 ms, then blue for ten seconds, and again. */
async function makeGif(): Promise<Buffer> {
  const side = 10
  const frame = (...colour: number[]) => Buffer.alloc(side * side * 3, Buffer.from(colour))
  const raw = { width: side, height: side * 2, channels: 3, pageHeight: side } as const
  return await sharp(Buffer.concat([frame(255, 0, 0), frame(0, 0, 255)]), { raw })
    .gif({ delay: [20, 10_000], loop: 0 })
    .toBuffer()
}

function colourOf(index: number): string {
  return `#${(index * 10 + 10).toString(16).padStart(2, '0')}80${(250 - index * 10).toString(16).padStart(2, '0')}`
}

/** Each card is revealed while it is in sight, and hides again outside. */
function revealed(when: string): string {
  const cards = [1500, 3000, 4500].map((top) => box(`c${top}`, top, '').replace('<div', '<div class=card'))
  return paint(
    WHITE,
    `<style>.card { opacity: 0; background: ${GREEN}; transition: opacity .4s } .card.seen { opacity: 1 }</style>
      ${cards.join('')}${far}
      <script>const watch = new IntersectionObserver((all) => {
        for (const { target, isIntersecting } of all) {
          const toggle = () => target.classList.toggle('seen', isIntersecting)
          ${when}
        }
      })
      for (const card of document.querySelectorAll('.card')) watch.observe(card)</script>`,
  )
}

const pages: Parameters<typeof serveSite>[0] = {
  // Its URL changes by itself: once, that counted as another page, and two pictures were taken at once.
  '/ruler': paint(
    WHITE,
    `<div style="height:12000px"></div>${ruler.join('')}<script>onload = () => { history.replaceState(null, '', '#x'); history.pushState(null, '', '#y') }</script>`,
  ),
  '/skipped': paint(
    WHITE,
    `<style>section { content-visibility: auto; contain-intrinsic-size: auto 1000px }
      p { height: 900px; margin: 50px 0; background: ${GREEN} }</style>${'<section><p></p></section>'.repeat(12)}`,
  ),
  '/revealed': revealed('toggle()'),
  '/hides-late': revealed('isIntersecting ? toggle() : setTimeout(toggle, 300)'),
  '/looks-at-the-end': paint(
    WHITE,
    `${far}${box('last', 5_800, '')}<script>let timer
      addEventListener('scroll', () => {
        clearTimeout(timer)
        timer = setTimeout(() => { if (scrollY + innerHeight > 5_800) last.style.background = '${GREEN}' }, 120)
      })</script>`,
  ),
  '/polled': paint(
    WHITE,
    `${box('far', 3000, '')}${far}<script>let scrolled = false
      addEventListener('scroll', () => { scrolled = true })
      setInterval(() => {
      if (!scrolled) return
      scrolled = false
      const { top } = far.getBoundingClientRect()
      if (top >= 0 && top < innerHeight) far.style.background = '${GREEN}'
    }, 50)</script>`,
  ),
  // On each scroll, it waits for an answer, and does nothing else.
  '/never-through': paint(
    WHITE,
    `<div style="position:fixed;top:0;width:100%;height:100px;background:${GREEN}"></div><div style="height:90000px"></div>
      <script>addEventListener('scroll', () => {
        const asked = new XMLHttpRequest()
        asked.open('GET', '/soon', false)
        asked.send()
      })</script>`,
  ),
  '/soon': (answer) => void setTimeout(() => answer.end(), 200),
  // A bar that shrinks on scrolling, and a button that leads back to the top.
  '/bars': paint(
    WHITE,
    `<style>#bar { position: fixed; top: 0; width: 100%; height: 200px; background: ${GREEN}; transition: height 1s }
      #bar.small { height: 50px } #top { position: fixed; bottom: 0; right: 0; width: 100px; height: 100px;
      background: ${RED}; opacity: 0; transition: opacity 2s } #top.on, #now.on { opacity: 1 }
      #now { position: fixed; bottom: 0; left: 0; width: 100px; height: 100px; background: ${RED}; opacity: 0 }</style>
      <div id=bar></div><div id=top></div><div id=now></div>${far}<script>addEventListener('scroll', () => {
        bar.classList.toggle('small', scrollY > 100)
        for (const name of ['#top', '#now']) document.querySelector(name).classList.toggle('on', scrollY > 100)
      })</script>`,
  ),
  '/endless-style': paint(
    WHITE,
    `<style>@keyframes swap { from { background: ${GREEN} } to { background: ${RED} } }
      #a { animation: swap 1s infinite alternate; opacity: 1 }</style>${box('a', 0, '')}`,
  ),
  // Chromium moves both in a thread of its own. One is stopped at its beginning; the other one ends there.
  '/moves-away': paint(
    WHITE,
    `<style>@keyframes go { from { transform: translate(0) } to { transform: translate(600px) } }
      #a { animation: go 2s linear infinite }</style>${box('a', 0, `background:${GREEN}`)}<script>1</script>`,
  ),
  '/moves-and-returns': paint(
    WHITE,
    `<style>@keyframes go { 0%, 100% { transform: translate(0) } 50% { transform: translate(600px) } }
      #a { animation: go 2s linear 50 both }</style>${box('a', 0, `background:${GREEN}`)}<script>1</script>`,
  ),
  '/counts': paint(
    WHITE,
    `${box('a', 0, `background:${RED}`)}<script>let frames = 0
      const draw = () => {
        a.style.background = ++frames < 60 ? 'rgb(' + (255 - frames) + ',0,0)' : '${GREEN}'
        if (frames < 60) requestAnimationFrame(draw)
      }
      draw()</script>`,
  ),
  '/pauses': paint(
    WHITE,
    `${box('a', 0, '')}<script>let frames = 0
      const draw = () => {
        if (++frames < 60) a.style.background = 'rgb(' + (255 - frames) + ',0,0)'
        if (frames === 90) a.style.background = '${GREEN}'
        else requestAnimationFrame(draw)
      }
      draw()</script>`,
  ),
  // A frame takes 40 ms, and only every twelfth shows something new.
  '/draws-slowly': paint(
    WHITE,
    `${box('a', 0, 'background:red')}<script>let frames = 0
      const draw = () => {
        const end = performance.now() + 40
        while (performance.now() < end);
        if (++frames % 12 === 0) a.style.background = frames < 60 ? 'rgb(' + (255 - frames) + ',0,0)' : '${GREEN}'
        if (frames < 60) requestAnimationFrame(draw)
      }
      draw()</script>`,
  ),
  '/draws': paint(
    WHITE,
    `<canvas id=c width=100 height=100></canvas><script>const pen = c.getContext('2d'); let n = 0
      const draw = () => { pen.fillStyle = 'rgb(0,0,' + (n++ % 255) + ')'; pen.fillRect(0, 0, 100, 100); requestAnimationFrame(draw) }
      draw()</script>`,
  ),
  '/ticks': paint(
    WHITE,
    `${box('a', 0, '')}<script>let n = 0
      setInterval(() => { a.style.background = 'rgb(0,0,' + (n++ % 255) + ')' }, 10)</script>`,
  ),
  '/caret': paint(
    WHITE,
    '<input autofocus style="position:absolute;left:0;top:0;font:60px monospace;border:0;outline:0;caret-color:red">',
  ),
  '/gif': paint(
    WHITE,
    '<script></script><img src=/moving.gif style="position:absolute;left:0;top:0;width:100px;height:100px">',
  ),
  '/moving.gif': async (answer) => {
    answer.writeHead(200, { 'content-type': 'image/gif' }).end(await makeGif())
  },
  '/hovers': paint(
    WHITE,
    `<style>div:hover { background: red !important }</style>${box('a', 0, `background:${GREEN}`)}`,
  ),
  '/titled': (answer) =>
    void answer
      .writeHead(404, HTML)
      .end(paint(WHITE, '<title>Not here</title><img src=/gone.png><script src=/gone.js></script>')),
  '/moved': (answer) => void answer.writeHead(302, { location: '/there?a=1' }).end(),
  '/there': paint(WHITE, '<title>There</title>'),
  '/goes-on': paint(WHITE, `<script>onload = () => setTimeout(() => { location = '/there' }, 200)</script>`),
  '/wide': paint(WHITE, '<div style="width:3000px;height:10px"></div>'),
}

let site: Site
let camera: TestCamera
const at = (path: string) => `http://site.test:${site.port}${path}`
const look = async (shot: Promise<Shot>) => await readPixels((await shot).bytes)
const PATIENT = 60_000

beforeAll(async () => {
  site = await serveSite(pages)
  camera = openTestCamera({ allow: `site.test:${site.port}` })
})
afterAll(async () => {
  await camera.close()
  await site.close()
})

describe('a full page', () => {
  test('has everything in its place, even if several are captured at once', async () => {
    const shots = await Promise.all(
      Array.from({ length: 3 }, () => camera.take(at('/ruler'), { fullPage: true, loadingTime: PATIENT })),
    )
    for (const shot of shots) {
      const shown = await readPixels(shot.bytes)
      expect([shown.width, shown.height]).toEqual([1200, 12_000])
      const colours = ruler.map((_, index) => [
        shown.at(50, index * 500 + 50),
        shown.at(50, index * 500 + 150),
      ])
      expect(colours).toEqual(ruler.map((_, index) => [colourOf(index), WHITE]))
    }
    expect(new Set(shots.map(({ bytes }) => bytes.toString('base64'))).size).toBe(1)
  })

  test('shows elements that are drawn only near the window', async () => {
    const shown = await look(camera.take(at('/skipped'), { fullPage: true }))
    const colours = Array.from({ length: 12 }, (_, index) => shown.at(600, index * 1_000 + 500))
    expect([shown.height, new Set(colours)]).toEqual([12_000, new Set([GREEN])])
  })

  test.each(['/revealed', '/hides-late'])(
    'shows everything that was in sight once, even if it hides again: %s',
    async (path) => {
      const shown = await look(camera.take(at(path), { fullPage: true, loadingTime: PATIENT }))
      expect([1550, 3050, 4550].map((y) => shown.at(50, y))).toEqual([GREEN, GREEN, GREEN])
    },
  )

  test('gives a script that checks its position from time to time enough time to do so', async () => {
    expect((await look(camera.take(at('/polled'), { fullPage: true }))).at(50, 3050)).toBe(GREEN)
    expect((await look(camera.take(at('/looks-at-the-end'), { fullPage: true }))).at(50, 5850)).toBe(GREEN)
  })

  test('starts at the top, even if its time runs out while it is scrolled', async () => {
    const shot = await camera.take(at('/never-through'), { fullPage: true, loadingTime: 2_500 })
    const shown = await readPixels(shot.bytes)
    expect([shown.height, shot.seen.marks]).toEqual([16_384, ['cut', 'restless']])
    const green = Array.from({ length: 163 }, (_, index) => shown.at(600, index * 100 + 50) === GREEN)
    expect(green.indexOf(true) + green.lastIndexOf(true)).toBe(0)
  })

  test('looks as it does at the top: bars have their full height, and nothing is half faded', async () => {
    const shown = await look(camera.take(at('/bars'), { fullPage: true, loadingTime: PATIENT }))
    const places = [shown.at(600, 199), shown.at(1150, 670), shown.at(50, 670), shown.at(600, 5900)]
    expect(places).toEqual([GREEN, WHITE, WHITE, WHITE])
  })
})

describe('a picture', () => {
  test('shows endless animations at their beginning', async () => {
    expect((await look(camera.take(at('/endless-style')))).at(50, 50)).toBe(GREEN)
  })

  test.each(['/moves-away', '/moves-and-returns'])(
    'shows an element where the page puts it, not where the browser has moved it since: %s',
    async (path) => {
      const { at: pixel } = await look(camera.take(at(path)))
      expect([1, 99, 101].map((x) => pixel(x, 50))).toEqual([GREEN, GREEN, WHITE])
    },
  )

  test.each(['/counts', '/draws-slowly', '/pauses'])(
    'waits for a script that draws frame by frame: %s',
    async (path) => {
      const shot = await camera.take(at(path), { loadingTime: PATIENT })
      expect([(await readPixels(shot.bytes)).at(50, 50), shot.seen.marks]).toEqual([GREEN, []])
    },
  )

  test.each(['/draws', '/ticks'])(
    'of a page that never rests (%s) is taken anyway, and marked `restless`',
    async (path) => {
      const { seen, bytes } = await camera.take(at(path), { loadingTime: PATIENT })
      expect([seen.marks, (await readPixels(bytes)).width]).toEqual([['restless'], 1200])
    },
  )

  test('shows no caret, no hover and the first frame of an animated picture', async () => {
    const [caret, gif, hover] = await Promise.all(
      ['/caret', '/gif', '/hovers'].map((path) => look(camera.take(at(path), { loadingTime: PATIENT }))),
    )
    const reds = Array.from({ length: 60 }, (_, x) => caret?.at(x, 40)).filter((colour) => colour === RED)
    expect([reds.length, gif?.at(50, 50), hover?.at(0, 0)]).toEqual([0, RED, GREEN])
  })

  test.each(['/endless-style', '/counts', '/bars', '/caret', '/gif', '/ruler'])(
    'of an unchanged page has the same bytes: %s',
    async (path) => {
      const shots = await Promise.all([1, 2].map(() => camera.take(at(path), { loadingTime: PATIENT })))
      expect(new Set(shots.map(({ bytes }) => bytes.toString('base64'))).size).toBe(1)
    },
  )
})

describe('the data seen of a page includes', () => {
  const seen = async (path: string, wanted = {}) =>
    (await camera.take(at(path), { loadingTime: PATIENT, ...wanted })).seen

  test('its status, its title and the number of failed resources', async () => {
    expect(await seen('/titled')).toEqual({
      ...{ status: 404, url: at('/titled'), title: 'Not here', failedResources: 2 },
      marks: ['error', 'incomplete'],
    })
  })

  test('the URL where it ended, by redirect or by script', async () => {
    const there = { status: 200, title: 'There', failedResources: 0, marks: [] }
    expect(await seen('/moved')).toEqual({ ...there, url: at('/there?a=1') })
    expect(await seen('/goes-on')).toEqual({ ...there, url: at('/there') })
  })

  test('the mark `wide` if it is wider than the picture', async () => {
    expect([(await seen('/wide')).marks, (await seen('/wide', { fullPage: true })).marks]).toEqual([
      ['wide'],
      ['wide'],
    ])
  })

  test('its HTTP status, if the status makes the capture fail', async () => {
    const taken = camera.take(at('/titled'), { failOn: 'status' })
    await expect(taken).rejects.toMatchObject({
      reason: 'status',
      seen: { status: 404, title: 'Not here', marks: ['error', 'incomplete'] },
      message: expect.stringContaining('404 Not Found'),
    })
    await camera.take(at('/there'), { failOn: 'status' })
  })
})
