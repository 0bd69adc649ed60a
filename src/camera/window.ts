import type { CDPSession, Page } from 'playwright-core'
import { createPixelBudget } from './pixel-budget.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

/** Some rows of a page, in its full width. */
export type Part = Size & { readonly y: number }

/** The largest sample of a window: a whole 4K window. */
const SAMPLE_PIXELS = 4_096 * 2_048
/**
 * The pixels that all pages of this process may take at a time. A picture is copied about five times on its way from the
 * browser, at up to three bytes per pixel. Windows up to 1920 × 1080 do not wait.
 */
export const withinBudget = createPixelBudget({ pixels: SAMPLE_PIXELS, small: 1_920 * 1_080 })
/** A sample that takes longer comes from a page that keeps the browser busy. */
const SAMPLE_MS = 2_000

/**
 * Sets the size of the window, once, from the first script to the picture. The same session must take the picture: while
 * it takes one, a session drops every size that another session has set, and the page would see that.
 */
export async function openWindow(page: Page, { width, height }: Size): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setDeviceMetricsOverride', {
    ...{ width, height, screenWidth: width, screenHeight: height },
    ...{ deviceScaleFactor: 1, mobile: false },
  })
  return session
}

/** Sets how much is drawn. The page does not notice: its window keeps its size. */
export async function drawAsMuchAs(session: CDPSession, { width, height }: Size): Promise<void> {
  await session.send('Emulation.setVisibleSize', { width, height })
}

/** In headless shells the mouse is at the upper left corner of every page: move it out. */
export async function leadMouseOut(session: CDPSession): Promise<void> {
  await session.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: -1, y: -1 })
}

/** The part of the window that is sampled: all of it, or the upper part of a very large one. */
export function sampleOf({ width, height }: Size): Size {
  return { width, height: Math.max(1, Math.min(height, Math.floor(SAMPLE_PIXELS / width))) }
}

/** A sample of the window: PNG, in Base64. */
export async function takeSample(session: CDPSession, window: Size, signal: AbortSignal): Promise<string> {
  const part = sampleOf(window)
  return await withinBudget(part.width * part.height, { signal, holdMs: SAMPLE_MS }, () =>
    takeFrame(session, part.height < window.height ? { y: 0, ...part } : undefined),
  )
}

/** What the window shows, or a part of the page: PNG, in Base64. */
export async function takeFrame(session: CDPSession, part?: Part): Promise<string> {
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'png',
    optimizeForSpeed: true,
    captureBeyondViewport: false,
    ...(part && { clip: { x: 0, scale: 1, ...part } }),
  })
  return data
}

/** The number of bytes that a Base64 text encodes. */
export function bytesOf(base64: string): number {
  return Math.floor((base64.length * 3) / 4) - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0)
}
