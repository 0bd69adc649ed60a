import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import type { Mark, Seen } from '../contract/seen.ts'
import type { Gate } from '../egress/guard.ts'
import { CaptureFailure, type PageToShoot, type Shot } from './camera.ts'
import { hostOf, navigationFailure } from './failures.ts'
import { NO_BYPASS } from './launch.ts'
import { countMoves, HOLD_MS, holdStill, movedOn, unless } from './restless.ts'
import { settle, watchNetwork } from './settle.ts'

/** For everything that is not loading: opening a page, and the picture itself. */
export const GRACE_MS = 20_000
/** Between two attempts at a page that moves on by itself. */
const MOVED_MS = 50
const ERROR_PAGE = 'chrome-error:'

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
    proxy: { server: gate.proxyUrl, bypass: NO_BYPASS },
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
  const moves = countMoves(page)
  const deadline = performance.now() + wanted.loadingTime
  const failed = await navigate(page, gate, wanted)
  const { status } = failed()
  if (wanted.failOnStatus && status >= 400) {
    throw new CaptureFailure('status', `${hostOf(page.url())} answered with the status ${status}.`)
  }
  const first = moves()
  const settled = await settleBefore(deadline, page, network, wanted.fullPage)
  signal.throwIfAborted()
  // It went on by itself to where nothing is: what is shown is the browser's own page about that.
  if (page.url().startsWith(ERROR_PAGE)) throw navigationFailure(failed().error, failed().url, gate)
  const session = await page.context().newCDPSession(page)
  const hasMoved = () => moves() > first
  let isHeld = hasMoved() && !settled
  if (isHeld) await holdStill(session)
  else await unless(hasMoved, HOLD_MS, page.evaluate(finishAnimations), signal).catch(() => {})
  for (let patience = HOLD_MS; ; patience *= 2) {
    try {
      const { bytes, cut } = await unless(hasMoved, patience, takePicture(session, wanted, limits), signal)
      return { bytes, seen: await look(page, failed().status, cut) }
    } catch (error) {
      if (!movedOn(error)) throw error
      if (!isHeld) await holdStill(session)
      isHeld = true
      await sleep(MOVED_MS, undefined, { signal })
    }
  }
}

/** Answers with what failed last, which may be later than this. */
async function navigate(
  page: Page,
  gate: Gate,
  { url, loadingTime }: PageToShoot,
): Promise<() => { url: string; error: Error; status: number }> {
  let last = url
  let status = 0
  let reason = ''
  page.on('requestfailed', (request) => {
    if (!request.isNavigationRequest() || request.frame() !== page.mainFrame()) return
    const { errorText = '' } = request.failure() ?? {}
    // A page that is left before it is whole is told of late, and is not what failed.
    if (reason !== '' && /ERR_ABORTED/.test(errorText)) return
    last = request.url()
    reason = errorText
  })
  try {
    status = (await page.goto(url, { waitUntil: 'commit', timeout: loadingTime }))?.status() ?? 0
  } catch (error) {
    if ((error as Error).name === 'TimeoutError') {
      throw (
        seenBy(gate, last) ??
        new CaptureFailure('timeout', `Nothing came from ${hostOf(last)} within ${loadingTime} ms.`)
      )
    }
    throw navigationFailure(error, last, gate)
  }
  return () => ({ url: last, error: new Error(reason), status })
}

function seenBy(gate: Gate, url: string): CaptureFailure | undefined {
  const seen = gate.failureOf(url)
  return seen && new CaptureFailure(seen.reason, seen.detail)
}

/** A page that never settles is taken as it is when its time is over. Answers whether it has settled. */
async function settleBefore(
  deadline: number,
  page: Page,
  network: ReturnType<typeof watchNetwork>,
  fullPage: boolean,
): Promise<boolean> {
  const over = new AbortController()
  const { signal } = over
  const settled = async () => {
    while (!signal.aborted) {
      try {
        await settle(page, network, { fullPage, signal })
        return true
      } catch (error) {
        if (signal.aborted) break
        if (!movedOn(error)) throw error
        await sleep(MOVED_MS)
      }
    }
    return false
  }
  const settling = settled()
  settling.catch(() => {})
  const timeIsOver = sleep(Math.max(0, deadline - performance.now()), false, { signal }).catch(() => false)
  return await Promise.race([settling, timeIsOver]).finally(() => over.abort())
}

async function takePicture(
  session: CDPSession,
  { width, height, fullPage }: PageToShoot,
  limits: PictureLimits,
): Promise<{ bytes: Buffer; cut: boolean }> {
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

async function look(page: Page, status: number, cut: boolean): Promise<Seen> {
  const marks: Mark[] = [...(status >= 400 ? ['error' as const] : []), ...(cut ? ['cut' as const] : [])]
  const title = await page.title().catch(() => '')
  return { status, url: page.url(), title, failedResources: 0, marks }
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
