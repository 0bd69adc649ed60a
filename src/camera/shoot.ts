import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import type { Gate } from '../egress/guard.ts'
import { CaptureFailure, type PageToShoot, type Shot } from './camera.ts'
import { hostOf, navigationFailure } from './failures.ts'
import { settle, watchNetwork } from './settle.ts'

/** For everything that is not loading: opening a page, and the picture itself. */
export const GRACE_MS = 20_000
/** Between two attempts at a page that moves on by itself. */
const MOVED_MS = 50

export interface PictureLimits {
  readonly height: number
  readonly pixels: number
}

/** One page in a context of its own. The caller closes it, and bounds the time. */
export async function openContext(
  browser: Browser,
  gate: Gate,
  { width, height }: PageToShoot,
): Promise<BrowserContext> {
  return await browser.newContext({
    viewport: { width, height },
    proxy: { server: gate.proxyUrl },
    acceptDownloads: false,
    serviceWorkers: 'block',
  })
}

export async function shootPage(
  context: BrowserContext,
  gate: Gate,
  wanted: PageToShoot,
  { limits, signal }: { limits: PictureLimits; signal: AbortSignal },
): Promise<Shot> {
  const page = await context.newPage()
  context.on('page', (popup) => void popup.close().catch(() => {}))
  const crashed = new Promise<never>((_, reject) => {
    page.once('crash', () =>
      reject(new CaptureFailure('crashed', `${hostOf(wanted.url)} crashed the browser.`)),
    )
  })
  crashed.catch(() => {})
  return await Promise.race([crashed, expose(page, gate, wanted, { limits, signal })])
}

async function expose(
  page: Page,
  gate: Gate,
  wanted: PageToShoot,
  { limits, signal }: { limits: PictureLimits; signal: AbortSignal },
): Promise<Shot> {
  const network = watchNetwork(page)
  const deadline = performance.now() + wanted.loadingTime
  await navigate(page, gate, wanted)
  await settleBefore(deadline, page, network, wanted.fullPage)
  signal.throwIfAborted()
  const session = await page.context().newCDPSession(page)
  await page.evaluate(finishAnimations).catch(() => {})
  for (;;) {
    try {
      return await takePicture(session, wanted, limits)
    } catch (error) {
      if (!movedOn(error)) throw error
      // A page that reloads itself over and over holds still without its scripts.
      await session.send('Emulation.setScriptExecutionDisabled', { value: true }).catch(() => {})
      await sleep(MOVED_MS, undefined, { signal })
    }
  }
}

async function navigate(page: Page, gate: Gate, { url, loadingTime }: PageToShoot): Promise<void> {
  let last = url
  page.on('requestfailed', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) last = request.url()
  })
  try {
    await page.goto(url, { waitUntil: 'commit', timeout: loadingTime })
  } catch (error) {
    if ((error as Error).name === 'TimeoutError') {
      throw (
        seenBy(gate, last) ??
        new CaptureFailure('timeout', `Nothing came from ${hostOf(last)} within ${loadingTime} ms.`)
      )
    }
    throw navigationFailure(error, last, gate)
  }
}

function seenBy(gate: Gate, url: string): CaptureFailure | undefined {
  const seen = gate.failureOf(url)
  return seen && new CaptureFailure(seen.reason, seen.detail)
}

/** A page that never settles is taken as it is when its time is over. */
async function settleBefore(
  deadline: number,
  page: Page,
  network: ReturnType<typeof watchNetwork>,
  fullPage: boolean,
): Promise<void> {
  const over = new AbortController()
  const { signal } = over
  const settled = async () => {
    while (!signal.aborted) {
      try {
        return await settle(page, network, { fullPage, signal })
      } catch (error) {
        if (signal.aborted) return
        if (!movedOn(error)) throw error
        await sleep(MOVED_MS)
      }
    }
  }
  const settling = settled()
  settling.catch(() => {})
  const timeIsOver = sleep(Math.max(0, deadline - performance.now()), undefined, { signal }).catch(() => {})
  await Promise.race([settling, timeIsOver]).finally(() => over.abort())
}

/** The page went elsewhere, or has not drawn anything yet: soon it can be asked again. */
function movedOn(error: unknown): boolean {
  return /context was destroyed|navigat|Unable to capture|Cannot find context|frame was detached|Not attached to an active page/i.test(
    String((error as Error).message),
  )
}

async function takePicture(
  session: CDPSession,
  { width, height, fullPage }: PageToShoot,
  limits: PictureLimits,
): Promise<Shot> {
  const { cssContentSize, cssVisualViewport } = await session.send('Page.getLayoutMetrics')
  const wanted = fullPage ? Math.max(1, Math.ceil(cssContentSize.height)) : height
  const most = Math.max(1, Math.min(limits.height, Math.floor(limits.pixels / width)))
  const taken = Math.min(wanted, most)
  const origin = fullPage ? { x: 0, y: 0 } : { x: cssVisualViewport.pageX, y: cssVisualViewport.pageY }
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'png',
    optimizeForSpeed: true,
    captureBeyondViewport: fullPage,
    clip: { ...origin, width, height: taken, scale: 1 },
  })
  return { bytes: Buffer.from(data, 'base64'), cut: taken < wanted }
}

/** Runs in the page: the picture shows where its movements end, and not some moment of them. */
function finishAnimations(): void {
  const { document } = globalThis as unknown as { document: { getAnimations(): Iterable<Movement> } }
  for (const movement of document.getAnimations()) {
    try {
      if (movement.effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY) movement.cancel()
      else movement.finish()
    } catch {
      // One that cannot be finished stays as it is.
    }
  }
}

interface Movement {
  readonly effect: { getComputedTiming(): { endTime?: unknown } } | null
  cancel(): void
  finish(): void
}
