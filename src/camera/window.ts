import type { CDPSession, Page } from 'playwright-core'

export interface Size {
  readonly width: number
  readonly height: number
}

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
export async function drawAsMuchAs(session: CDPSession, size: Size): Promise<void> {
  await session.send('Emulation.setVisibleSize', { ...size })
}

/** Headless shells tell every page of a mouse at its upper left corner. */
export async function leadMouseOut(session: CDPSession): Promise<void> {
  await session.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: -1, y: -1 })
}

/** What the window shows, or a part of the page: PNG, in Base64. */
export async function takeFrame(session: CDPSession, part?: Size & { y: number }): Promise<string> {
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'png',
    optimizeForSpeed: true,
    captureBeyondViewport: false,
    ...(part && { clip: { x: 0, scale: 1, ...part } }),
  })
  return data
}
