import { createHash } from 'node:crypto'
import type { CDPSession, Page } from 'playwright-core'
import type { PageOptions } from '../contract/capture-options.ts'
import { type Size, scaleOf } from '../contract/picture-sizes.ts'
import { createPixelBudget } from './pixel-budget.ts'
import { callBrowser } from './user-agent.ts'
import { visitorOf } from './visitor.ts'

/** Sizes and places are in pixels of the window. The picture has `scale` as many, in each direction. */
export interface Window extends Size {
  readonly scale: number
}

/** A part of a page: some of its rows, from `x` on. */
export interface Part extends Size {
  readonly x?: number
  readonly y: number
}

/** The part of a page that is captured. */
export interface View extends Part, Window {
  /** Below 1 on phones, for pages that are wider than the window: all of their width is shown. Otherwise 1. */
  readonly zoom: number
}

/** The largest sample of a window, in pixels of the picture: a whole 4K window. */
const SAMPLE_PIXELS = 4_096 * 2_048
/**
 * The pixels that all pages of this process may take at a time. A picture is copied about five times on its way from the
 * browser, at up to three bytes per pixel. Windows up to 1920 × 1080 do not wait.
 */
export const withinBudget = createPixelBudget(SAMPLE_PIXELS, 1_920 * 1_080)
export function isLarge({ width, height }: Size): boolean {
  return width * height > SAMPLE_PIXELS
}
/** The browser's measures of a zoomed page are this exact. */
export const ROUNDING = 0.01
/** The sample of a very large window is read in so many pieces. */
const PIECES = 4
/** Of a frame with more characters, only the digest is compared. */
const LARGE = 8_000_000
/** A sample that takes longer comes from a page that keeps the browser busy. */
const SAMPLE_MS = 2_000

export function windowOf({ width, height, ...options }: PageOptions): Window {
  return { width, height, scale: scaleOf(options) }
}

/** The size of a picture of this part of the window. The browser rounds in the same way. */
export function inPixels({ width, height }: Size, scale: number): Size {
  return { width: Math.round(width * scale), height: Math.round(height * scale) }
}

/**
 * Sets the size of the window, once, from the first script to the picture. The same session must take the picture: while
 * it takes one, a session drops every size that another session has set, and the page would see that.
 */
export async function openWindow(
  page: Page,
  options: Size & Partial<Omit<PageOptions, keyof Size>>,
): Promise<CDPSession> {
  const { width, height } = options
  const { mobile, screen, userAgent, locale } = visitorOf(options)
  const session = await page.context().newCDPSession(page)
  if (userAgent !== undefined) await callBrowser(session, userAgent, { mobile, locale })
  await session.send('Emulation.setDeviceMetricsOverride', {
    ...{ width, height, screenWidth: screen.width, screenHeight: screen.height },
    ...{ deviceScaleFactor: scaleOf(options), mobile },
    ...(mobile && { screenOrientation: orientationOf(screen) }),
  })
  return session
}

function orientationOf({ width, height }: Size) {
  return width > height
    ? ({ angle: 90, type: 'landscapePrimary' } as const)
    : ({ angle: 0, type: 'portraitPrimary' } as const)
}

/** Sets how much is drawn. The page does not notice: its window keeps its size. */
export async function drawAsMuchAs(session: CDPSession, { width, height }: Size): Promise<void> {
  await session.send('Emulation.setVisibleSize', { width: Math.ceil(width), height: Math.ceil(height) })
}

/** In headless shells the mouse is at the upper left corner of every page: move it out. */
export async function leadMouseOut(session: CDPSession): Promise<void> {
  await session.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: -1, y: -1 })
}

/** The part of the window that is sampled: all of it, or the upper part of a very large one. */
export function sampleOf({ width, height, scale }: Window): Size {
  const rows = Math.floor(SAMPLE_PIXELS / (width * scale) / scale)
  return { width, height: Math.max(1, Math.min(height, rows)) }
}

/** What a window showed at one moment. Two samples with the same mark look the same. */
export interface Sample {
  readonly mark: string
  /** PNG, in Base64. A very large window has none: it is read in pieces, and they are not kept. */
  readonly frame?: string
}

export async function takeSample(session: CDPSession, window: Window, signal: AbortSignal): Promise<Sample> {
  const { width, height } = sampleOf(window)
  const within = (size: Size, take: () => Promise<string>) => {
    const pixels = inPixels(size, window.scale)
    return withinBudget(pixels.width * pixels.height, { signal, holdMs: SAMPLE_MS }, take)
  }
  if (height === window.height) {
    const frame = await within(window, () => takeFrame(session))
    return { frame, mark: frame.length < LARGE ? frame : digestOf([frame]) }
  }
  const { cssVisualViewport, cssLayoutViewport } = await session.send('Page.getLayoutMetrics')
  const zoom = cssVisualViewport.scale
  const rows = Math.ceil(height / PIECES)
  const digests: string[] = []
  for (let y = 0; y < height; y += rows) {
    const piece = { x: cssLayoutViewport.pageX * zoom, y, width, height: Math.min(rows, height - y) }
    digests.push(digestOf([await within(piece, () => takeFrame(session, piece, zoom))]))
  }
  return { mark: digestOf(digests) }
}

function digestOf(texts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const text of texts) hash.update(text)
  return hash.digest('base64')
}

/** The content of the window, or a part of the page: PNG, in Base64. */
export async function takeFrame(session: CDPSession, part?: Part, zoom = 1): Promise<string> {
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'png',
    optimizeForSpeed: true,
    captureBeyondViewport: false,
    ...(part && { clip: clipOf(part, zoom) }),
  })
  return data
}

/** The browser takes a part of a page that is not zoomed. */
function clipOf({ x = 0, y, width, height }: Part, zoom: number) {
  return { x: x / zoom, y: y / zoom, width: snap(width / zoom), height: snap(height / zoom), scale: zoom }
}

/**
 * Some versions of Chromium (153) take only whole pixels of the page, and leave out what remains. So a part whose picture must
 * have a certain size has a whole number of them. The largest such length, in pixels of the window.
 */
export function inWholePixels(length: number, zoom: number): number {
  return Math.floor(length / zoom + ROUNDING) * zoom
}

function snap(length: number): number {
  const whole = Math.round(length)
  return Math.abs(length - whole) < ROUNDING ? whole : length
}

/** The size of a page. `start`: how far from its left it begins. A page that is written from right to left begins at its right. */
export interface Layout extends Size {
  readonly start: number
  readonly zoom: number
}

export async function readLayout(session: CDPSession): Promise<Layout> {
  const { cssContentSize, cssVisualViewport, cssLayoutViewport } = await session.send('Page.getLayoutMetrics')
  const { width, height } = cssContentSize
  const { pageX } = cssLayoutViewport
  return { width, height, start: pageX - (await scrolledBy(session, pageX)), zoom: cssVisualViewport.scale }
}

async function scrolledBy(session: CDPSession, pageX: number): Promise<number> {
  if (pageX === 0) return 0
  const { result } = await session.send('Runtime.evaluate', { expression: 'scrollX' })
  return Math.min(pageX, Number(result.value) || 0)
}

export function bytesOf(base64: string): number {
  return Math.floor((base64.length * 3) / 4) - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0)
}
