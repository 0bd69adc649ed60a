import type { CDPSession, Page } from 'playwright-core'
import { createPixelRoom } from './room.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

/** Some rows of a page, all as wide as it is. */
export type Part = Size & { readonly y: number }

/** So much of a window is looked at while it comes to rest: all of one of 4K. */
const LOOK_PIXELS = 4_096 * 2_048
/**
 * All pages of this process together take so much at a time. A picture passes through the process some five times over
 * on its way from the browser, at up to three bytes a pixel. Windows as large as most screens do not wait.
 */
export const inRoom = createPixelRoom({ pixels: LOOK_PIXELS, small: 1_920 * 1_080 })
/** A page that keeps the browser busy has not been drawn by then. */
const LOOK_MS = 2_000

/**
 * The page's window, as the session knows it that takes the picture: one size, from the first script to the picture. What
 * a session has not said itself it forgets while it takes one, and the page sees the difference.
 */
export async function openWindow(page: Page, { width, height }: Size): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setDeviceMetricsOverride', {
    ...{ width, height, screenWidth: width, screenHeight: height },
    ...{ deviceScaleFactor: 1, mobile: false },
  })
  return session
}

/** How much is drawn. The page does not see it: its window stays as it is. */
export async function drawAsMuchAs(session: CDPSession, { width, height }: Size): Promise<void> {
  await session.send('Emulation.setVisibleSize', { width, height })
}

/** Headless shells tell every page of a mouse at its upper left corner. */
export async function leadMouseOut(session: CDPSession): Promise<void> {
  await session.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: -1, y: -1 })
}

/** How much of the window is looked at: of a very large one its upper part, as of a full page its window. */
export function lookedAt({ width, height }: Size): Size {
  return { width, height: Math.max(1, Math.min(height, Math.floor(LOOK_PIXELS / width))) }
}

/** What of the window is looked at: PNG, in Base64. */
export async function takeLook(session: CDPSession, window: Size, signal: AbortSignal): Promise<string> {
  const part = lookedAt(window)
  return await inRoom(part.width * part.height, { signal, holdMs: LOOK_MS }, () =>
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

/** How many bytes the Base64 of a picture stands for. */
export function bytesOf(base64: string): number {
  return Math.floor((base64.length * 3) / 4) - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0)
}
