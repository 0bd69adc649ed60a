// @module-tag browser

import { expect, test } from 'vitest'
import { openTestCamera, paint, readPixels, serveSite } from '../support/camera/camera.ts'
import { useServer } from '../support/servers/use-servers.ts'

const [WHITE, RED, GREEN, BLUE] = ['#ffffff', '#ff0000', '#00ff00', '#0000ff']

// Written from right to left, and 2,000 pixels wide: it begins at its right.
const WIDE = `<style>html { direction: rtl } div { position: absolute; width: 100px; height: 100px }</style>
  <div style="right:0;top:0;background:${RED}"></div>
  <div style="right:0;top:1900px;background:${GREEN}"></div>
  <div id=far style="right:1900px;top:1000px;background:${BLUE}"></div>
  <div id=near style="right:200px;top:1000px;background:${GREEN}"></div>`

const site = useServer(() => serveSite({ '/': paint(WHITE, WIDE) }))
const camera = useServer(async () => openTestCamera({ allow: `site.test:${site.port}` }))
const take = (options: object) =>
  camera.take(`http://site.test:${site.port}/`, { width: 600, height: 500, loadingTime: 60_000, ...options })

test.each([
  ['a window', {}, 500],
  ['a full page', { fullPage: true }, 2_000],
  ['a large window', { height: 15_000 }, 15_000],
])('%s shows where a page begins that is written from right to left', async (_, options, height) => {
  const { bytes, seen } = await take(options)
  const picture = await readPixels(bytes)
  expect([picture.width, picture.height]).toEqual([600, height])
  expect([picture.at(550, 50), picture.at(450, 50), picture.at(50, 50)]).toEqual([RED, WHITE, WHITE])
  if (height > 500) expect([picture.at(550, 1_950), picture.at(350, 1_050)]).toEqual([GREEN, GREEN])
  expect(seen.marks).toContain('wide')
  expect(seen.notes).toEqual([{ note: 'wide', detail: expect.stringContaining('left side is missing') }])
})

test('an element of such a page is shown, wherever it is', async () => {
  for (const [element, colour] of [
    ['#near', GREEN],
    ['#far', BLUE],
  ] as const) {
    const picture = await readPixels((await take({ element })).bytes)
    expect([picture.width, picture.height]).toEqual([100, 100])
    expect([picture.at(2, 2), picture.at(97, 97)]).toEqual([colour, colour])
  }
})

test('scripts that scroll to its left do not change where it begins', async () => {
  const page = await serveSite({ '/': paint(WHITE, `${WIDE}<script>scrollTo(-900, 0)</script>`) })
  const own = openTestCamera({ allow: `site.test:${page.port}` })
  try {
    const { bytes } = await own.take(`http://site.test:${page.port}/`, {
      ...{ width: 600, height: 500, fullPage: true, loadingTime: 60_000 },
    })
    const picture = await readPixels(bytes)
    expect([picture.at(550, 50), picture.at(550, 1_950)]).toEqual([RED, GREEN])
  } finally {
    await own.close()
    await page.close()
  }
})
