// @module-tag browser

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OwnOptions } from '../../src/contract/capture-options.ts'
import {
  openTestCamera,
  paint,
  readPixels,
  type Site,
  serveSite,
  type TestCamera,
} from '../support/camera/camera.ts'

const WHITE = '#ffffff'
const RED = '#ff0000'
const GREEN = '#00ff00'
const BLUE = '#0000ff'
const LENGTH = 2_000

/**
 * A typical page: a fixed header, a hero as high as the window, a bar that sticks to the top and a footer that sticks to
 * the bottom, and blocks that load when they come near. The header changes on scrolling.
 */
const PAGE = paint(
  WHITE,
  `<meta name=viewport content="width=device-width"><style>
    #header { position: fixed; z-index: 1; top: 0; width: 100%; height: 40px; background: ${RED} }
    #header.scrolled { height: 20px; background: #880000 }
    #hero { height: 100vh; background: ${GREEN} }
    #bar { position: sticky; top: 0; height: 30px; background: ${BLUE} }
    #main { height: ${LENGTH}px; position: relative }
    .block { position: absolute; left: 100px; width: 100px; height: 100px; background: #dddddd }
    .block.loaded { background: #008800 }
  </style>
  <div id=header></div><div id=hero></div><div id=bar></div><div id=main></div><script>
    addEventListener('scroll', () => header.classList.toggle('scrolled', scrollY > 10))
    const seen = new IntersectionObserver((all) => {
      for (const { target, isIntersecting } of all) if (isIntersecting) fetch('/block').then(() => target.classList.add('loaded'))
    })
    for (let top = 100; top < ${LENGTH}; top += 500) {
      const block = document.createElement('div')
      block.className = 'block'
      block.style.top = top + 'px'
      main.append(block)
      seen.observe(block)
    }
    // More blocks come when the end is near.
    let more = 3
    addEventListener('scroll', () => {
      if (more > 0 && scrollY + innerHeight > document.documentElement.scrollHeight - 200) {
        more--
        fetch('/block').then(() => {
          const next = document.createElement('div')
          next.style.cssText = 'height:300px;background:#ffff00'
          document.body.append(next)
        })
      }
    })
  </script>`,
)

let site: Site
let camera: TestCamera

beforeAll(async () => {
  site = await serveSite({ '/': PAGE, '/block': (answer) => void setTimeout(() => answer.end(), 50) })
  camera = openTestCamera({ allow: `site.test:${site.port}`, limits: { height: 20_000 } })
})
afterAll(async () => {
  await camera.close()
  await site.close()
})

const WINDOWS: readonly [string, OwnOptions & { width: number; height: number }, number][] = [
  ['of a desktop', { width: 600, height: 500 }, 1],
  ['with twice as many pixels', { width: 600, height: 500, deviceScaleFactor: 2 }, 2],
  ['of a phone', { width: 393, height: 659, device: 'iPhone 15' }, 3],
]

describe.each(WINDOWS)('a full page in a window %s', (_, options, scale) => {
  let rows: (x: number) => { colour: string; from: number; to: number }[]
  let height: number

  beforeAll(async () => {
    const { bytes } = await camera.take(`http://site.test:${site.port}/`, {
      ...{ ...options, fullPage: true, loadingTime: 60_000 },
    })
    const picture = await readPixels(bytes)
    height = picture.height / scale
    /** The colours on the way down, in pixels of the page. */
    rows = (x) => {
      const met: { colour: string; from: number; to: number }[] = []
      for (let y = 0; y < height; y++) {
        const colour = picture.at(x * scale, y * scale)
        const last = met.at(-1)
        if (last?.colour === colour) last.to = y + 1
        else met.push({ colour, from: y, to: y + 1 })
      }
      return met
    }
  })

  test('shows each header once, at the top, unscrolled', () => {
    const met = rows(5)
    expect(met.filter(({ colour }) => colour === RED)).toEqual([{ colour: RED, from: 0, to: 40 }])
    const bar = { colour: BLUE, from: options.height, to: options.height + 30 }
    expect(met.filter(({ colour }) => colour === BLUE)).toEqual([bar])
    expect(met.map(({ colour }) => colour)).not.toContain('#880000')
  })

  test('keeps elements that are as high as the window', () => {
    expect(rows(5).filter(({ colour }) => colour === GREEN)).toEqual([
      { colour: GREEN, from: 40, to: options.height },
    ])
  })

  test('shows blocks that load on scrolling', () => {
    const blocks = rows(150)
    expect(blocks.filter(({ colour }) => colour === '#dddddd')).toEqual([])
    expect(blocks.filter(({ colour }) => colour === '#008800')).toHaveLength(4)
    expect(height).toBe(options.height + 30 + LENGTH + 3 * 300)
  })
})
