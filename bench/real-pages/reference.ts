import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { ignoreTimeout, LIMITS, type Wanted } from './cameras.ts'
import type { Area } from './mask.ts'
import { decode, offsetOf, type Pixels } from './pixels.ts'
import { unlike } from './unlike.ts'

// A full page as a reader sees it while scrolling: windows, one below the other, each a plain picture of the window.
// Nothing outside the window is ever captured here.

const PASSES = 4
/** After a step: what appears because of it is there. */
const STEP_MS = 60
const REST_MS = 700
/** Below what is taken: what is there may still change what is above. */
const BEYOND = 4_000
/** Shadows of what stays. */
const MARGIN = 24

/** A page with content-visibility that is all drawn has the height that it keeps. */
const DRAW_ALL = `for (const e of document.querySelectorAll('body *')) {
  if (getComputedStyle(e).contentVisibility !== 'auto') continue
  e.style.setProperty('contain', 'layout style paint', 'important')
  e.style.setProperty('content-visibility', 'visible', 'important')
}`
const LEAVES_OUT =
  "[...document.querySelectorAll('body *')].some((e) => getComputedStyle(e).contentVisibility === 'auto')"

type WindowSize = Pick<Wanted, 'width' | 'height'>

export interface Stitched {
  readonly pixels: Pixels
  /** What stays in the window, wherever it was. */
  readonly areas: readonly Area[]
}

/**
 * One, or for a page with content-visibility two: as one sees it who scrolls, and as a window shows it that is as high as a
 * picture may be. Either is right: where its parts are depends by a pixel on which of them are in sight.
 */
export async function makeReferences(
  browser: Browser,
  { url, width, height }: Omit<Wanted, 'fullPage'>,
): Promise<Stitched[]> {
  const context = await browser.newContext({ viewport: { width, height }, serviceWorkers: 'block' })
  try {
    const page = await context.newPage()
    await page.goto(url, { waitUntil: 'networkidle', timeout: 30_000 }).catch(ignoreTimeout)
    const stitched = [await stitchTwice(page, { width, height })]
    if (await page.evaluate(LEAVES_OUT)) {
      await page.evaluate(DRAW_ALL)
      const taken = Math.min(await heightOf(page), LIMITS.height)
      await page.setViewportSize({ width, height: LIMITS.height })
      await page.reload({ waitUntil: 'networkidle', timeout: 30_000 }).catch(ignoreTimeout)
      stitched.push(await takeAtOnce(page, { width, height: taken }))
    }
    return stitched
  } finally {
    await context.close()
  }
}

/** In a window that shows all of it. */
async function takeAtOnce(page: Page, { width, height }: WindowSize): Promise<Stitched> {
  await sleep(REST_MS)
  const areas = (await staying(page)).map((area) => widen(area, 0))
  const { data } = await decode(await page.screenshot({ animations: 'disabled' }))
  return { pixels: { width, height, data: data.subarray(0, height * width * 3) }, areas }
}

/** Also from windows at other positions: what looks different there moves with the window, and is not compared. */
async function stitchTwice(page: Page, size: WindowSize): Promise<Stitched> {
  await scrollThrough(page, size.height)
  const one = await stitch(page, size, size.height)
  const other = await stitch(page, size, Math.floor(size.height / 2))
  return { pixels: one.pixels, areas: [...one.areas, ...unlike(one, other)] }
}

/** The first window gives `first` rows, each other one as many as it has. */
async function stitch(page: Page, { width, height }: WindowSize, first: number): Promise<Stitched> {
  await page.waitForLoadState('networkidle', { timeout: 10_000 }).catch(ignoreTimeout)
  await sleep(REST_MS)
  const all = await heightOf(page)
  const taken = Math.min(all, LIMITS.height)
  const areas = (await staying(page)).map((area) => widen(area, 0))
  const pixels: Pixels = { width, height: taken, data: Buffer.alloc(taken * width * 3) }
  for (let y = 0; y < taken; ) {
    const top = await moveTo(page, y, all)
    const strip = await decode(await page.screenshot({ animations: 'disabled' }))
    const rows = Math.min(y === 0 ? first : top + height, taken) - y
    if (top > y || rows <= 0) throw new Error(`the page cannot be scrolled to ${y} px`)
    const from = offsetOf(pixels, 0, y - top)
    strip.data.copy(pixels.data, offsetOf(pixels, 0, y), from, from + rows * width * 3)
    const within = { x: 0, y: top, width, height }
    areas.push(...(await staying(page)).flatMap((area) => overlap(widen(area, top), within)))
    y += rows
  }
  await scrollTo(page, 0)
  await sleep(REST_MS)
  const after = await heightOf(page)
  if (after !== all) throw new Error(`the page was ${all} px high, and then ${after}`)
  return { pixels, areas }
}

/**
 * Answers which row of the page is the window's first. A header that shrinks when the page is scrolled takes all below
 * it along: rows are counted as they are at the top of the page.
 */
async function moveTo(page: Page, y: number, all: number): Promise<number> {
  await scrollTo(page, y)
  await sleep(STEP_MS)
  const shrunk = all - (await heightOf(page))
  const top = await scrollTo(page, Math.max(0, y - shrunk))
  await sleep(STEP_MS)
  return top + (top === 0 ? 0 : all - (await heightOf(page)))
}

/** Until it has the height that it keeps. */
async function scrollThrough(page: Page, step: number): Promise<void> {
  let before = -1
  for (let pass = 0; pass < PASSES; pass++) {
    for (let y = 0; y < Math.min(await heightOf(page), LIMITS.height + BEYOND); y += step) {
      await scrollTo(page, y)
    }
    await scrollTo(page, 0)
    const height = await heightOf(page)
    if (height === before) return
    before = height
  }
}

async function heightOf(page: Page): Promise<number> {
  return (await page.evaluate('document.documentElement.scrollHeight')) as number
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

/** What stays in the window, or may, with its positions in the window. */
async function staying(page: Page): Promise<Area[]> {
  return (await page.evaluate(`(() => {
    const areas = []
    const add = (element) => {
      const { x, y, width, height } = element.getBoundingClientRect()
      if (width > 0 && height > 0) areas.push({ x, y, width, height })
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

function widen({ x, y, width, height }: Area, windowTop: number): Area {
  const [left, top] = [Math.floor(x) - MARGIN, Math.floor(y) - MARGIN]
  return {
    x: left,
    y: windowTop + top,
    width: Math.ceil(x + width) + MARGIN - left,
    height: Math.ceil(y + height) + MARGIN - top,
  }
}
