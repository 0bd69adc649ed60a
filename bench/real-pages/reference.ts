import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { ignoreTimeout, LIMITS, type Wanted } from './cameras.ts'
import type { Area } from './mask.ts'
import { decode, type Pixels, place } from './pixels.ts'

// A full page as someone sees it who scrolls through it: windows, one below the other, each a plain picture of what
// the window shows. Nothing here takes a picture of what is outside the window.

const PASSES = 4
/** After a step: what appears because of it is there. */
const STEP_MS = 60
const REST_MS = 700
/** Shadows of what stays. */
const MARGIN = 24

/** A page with content-visibility that is all drawn: where its parts are does not depend on what the window shows. */
const ALL_DRAWN = '* { content-visibility: visible !important }'

export interface Stitched {
  readonly pixels: Pixels
  /** What stays in the window, wherever it was. */
  readonly areas: readonly Area[]
}

/**
 * One, but for a page whose height depends on where it is scrolled to: that one is right with all of its parts drawn,
 * and also as a window shows it that is as high as the page.
 */
export async function makeReferences(
  browser: Browser,
  { url, width, height }: Omit<Wanted, 'fullPage'>,
): Promise<Stitched[]> {
  const context = await browser.newContext({ viewport: { width, height }, serviceWorkers: 'block' })
  try {
    const page = await context.newPage()
    await page.goto(url, { waitUntil: 'networkidle', timeout: 30_000 }).catch(ignoreTimeout)
    const steady = await stitch(page, { width, height })
    if (steady) return [steady]
    await page.addStyleTag({ content: ALL_DRAWN })
    const drawn = await stitch(page, { width, height })
    if (!drawn) throw new Error(`the height of ${url} depends on where it is scrolled to`)
    await page.reload({ waitUntil: 'networkidle', timeout: 30_000 }).catch(ignoreTimeout)
    return [drawn, await inOneWindow(page, width)]
  } finally {
    await context.close()
  }
}

/** Nothing where the page has another height at its end than at its top. */
async function stitch(
  page: Page,
  { width, height }: { width: number; height: number },
): Promise<Stitched | undefined> {
  await scrollThrough(page, height)
  await rest(page)
  const taken = await heightOf(page)
  const areas = (await staying(page)).map(widen)
  const pixels: Pixels = { width, height: taken, data: Buffer.alloc(taken * width * 3) }
  for (let y = 0; y < taken; y += height) {
    const top = await scrollTo(page, y)
    await sleep(STEP_MS)
    const strip = await decode(await page.screenshot({ animations: 'disabled' }))
    const rows = Math.min(height, taken - y)
    const from = place(pixels, 0, y - top)
    strip.data.copy(pixels.data, place(pixels, 0, y), from, from + rows * width * 3)
    const within = { x: 0, y: top, width, height }
    areas.push(...(await staying(page)).flatMap((area) => overlap(widen(area), within)))
  }
  return (await heightOf(page)) === taken ? { pixels, areas } : undefined
}

/** The window grows with the page, until it has all of it. */
async function inOneWindow(page: Page, width: number): Promise<Stitched> {
  let before = 0
  for (let pass = 0; pass < PASSES * 2; pass++) {
    const height = await heightOf(page)
    if (height === before) break
    before = height
    await page.setViewportSize({ width, height })
    await rest(page)
  }
  const pixels = await decode(await page.screenshot({ animations: 'disabled' }))
  return { pixels, areas: (await staying(page)).map(widen) }
}

async function rest(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle', { timeout: 10_000 }).catch(ignoreTimeout)
  await sleep(REST_MS)
}

/** Until it has the height that it keeps. */
async function scrollThrough(page: Page, step: number): Promise<void> {
  let before = -1
  for (let pass = 0; pass < PASSES; pass++) {
    for (let y = 0; y < (await heightOf(page)); y += step) await scrollTo(page, y)
    await scrollTo(page, 0)
    const height = await heightOf(page)
    if (height === before) return
    before = height
  }
}

/** What of it may be in a picture. */
async function heightOf(page: Page): Promise<number> {
  return Math.min(LIMITS.height, (await page.evaluate('document.documentElement.scrollHeight')) as number)
}

/** Answers where it is then: the end of a page may be nearer. */
async function scrollTo(page: Page, top: number): Promise<number> {
  return (await page.evaluate(`(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    scrollTo({ top: ${top}, behavior: 'instant' })
    await frame()
    await frame()
    return Math.round(scrollY)
  })()`)) as number
}

/** What stays in the window, or may, with its places on the page now. */
async function staying(page: Page): Promise<Area[]> {
  return (await page.evaluate(`(() => {
    const areas = []
    const add = (element) => {
      const { x, y, width, height } = element.getBoundingClientRect()
      if (width > 0 && height > 0) areas.push({ x: x + scrollX, y: y + scrollY, width, height })
      else for (const child of element.children) add(child)
    }
    for (const element of document.querySelectorAll('body *')) {
      const { position, visibility, display } = getComputedStyle(element)
      if (visibility !== 'visible' || display === 'none') continue
      if (position === 'fixed' || position === 'sticky' || position === '-webkit-sticky') add(element)
    }
    return areas
  })()`)) as Area[]
}

function overlap(area: Area, within: Area): Area[] {
  const [x, y] = [Math.max(area.x, within.x), Math.max(area.y, within.y)]
  const width = Math.min(area.x + area.width, within.x + within.width) - x
  const height = Math.min(area.y + area.height, within.y + within.height) - y
  return width > 0 && height > 0 ? [{ x, y, width, height }] : []
}

function widen({ x, y, width, height }: Area): Area {
  const [left, top] = [Math.floor(x) - MARGIN, Math.floor(y) - MARGIN]
  return {
    x: left,
    y: top,
    width: Math.ceil(x + width) + MARGIN - left,
    height: Math.ceil(y + height) + MARGIN - top,
  }
}
