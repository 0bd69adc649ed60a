import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Mark } from '../contract/seen.ts'
import type { Gate } from '../egress/guard.ts'
import { CaptureFailure, type PageToShoot, type Shot } from './camera.ts'
import { type Exposed, expose, highest, type PictureLimits } from './expose.ts'
import { hostOf } from './failures.ts'
import { NO_BYPASS } from './launch.ts'
import { comeToRest } from './rest.ts'
import { countMoves, HOLD_MS, holdStill, movedOn, unless } from './restless.ts'
import { type Network, settle, watchNetwork } from './settle.ts'
import { Visit } from './visit.ts'
import { openWindow } from './window.ts'

/** For everything that is not loading: opening a page, and the picture itself. */
export const GRACE_MS = 20_000
/** Between two attempts at a page that moves on by itself. */
const MOVED_MS = 50
const ERROR_PAGE = 'chrome-error:'

interface Rules {
  readonly limits: PictureLimits
  readonly signal: AbortSignal
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
  rules: Rules,
): Promise<Shot> {
  const page = await context.newPage()
  context.on('page', (popup) => void popup.close().catch(() => {}))
  const crashed = new Promise<never>((_, reject) => {
    page.once('crash', () =>
      reject(new CaptureFailure('crashed', `${hostOf(wanted.url)} crashed the browser.`)),
    )
  })
  crashed.catch(() => {})
  return await Promise.race([crashed, shoot(page, gate, wanted, rules)])
}

async function shoot(page: Page, gate: Gate, wanted: PageToShoot, { limits, signal }: Rules): Promise<Shot> {
  const { fullPage } = wanted
  const network = watchNetwork(page)
  const visit = new Visit(page, gate, wanted)
  const session = await openWindow(page, wanted)
  const moves = await countMoves(session)
  const deadline = performance.now() + wanted.loadingTime
  await visit.navigate()
  const first = moves()
  const unveilTo = fullPage ? highest(limits, wanted.width) : undefined
  const settled = await settleBefore(deadline, page, network, unveilTo)
  signal.throwIfAborted()
  // It went on by itself to where nothing is: what is shown is the browser's own page about that.
  if (page.url().startsWith(ERROR_PAGE)) throw visit.lastFailure()
  visit.checkStatus()
  const hasMoved = () => moves() > first
  let isHeld = hasMoved() && !settled
  if (isHeld) await holdStill(session)
  const take = async (untilMoved: AbortSignal): Promise<Shot> => {
    const rest = await comeToRest(page, session, { fullPage, deadline, signal: untilMoved })
    const exposed = await expose(session, rest, wanted, { limits, signal: untilMoved })
    const failedResources = visit.failedResources + network.waitsFor()
    const { status } = visit
    return {
      bytes: exposed.bytes,
      seen: {
        status,
        url: page.url(),
        title: await page.title(),
        failedResources,
        marks: marksOf({ ...exposed, status, failedResources, restless: !settled || !rest.atRest }),
      },
    }
  }
  for (let patience = HOLD_MS; ; patience *= 2) {
    try {
      return await unless(hasMoved, patience, take, signal)
    } catch (error) {
      if (!movedOn(error)) throw error
      if (!isHeld) await holdStill(session)
      isHeld = true
      await sleep(MOVED_MS, undefined, { signal })
    }
  }
}

function marksOf({
  status,
  failedResources,
  ...seen
}: Pick<Exposed, 'cut' | 'wide'> & {
  restless: boolean
  status: number
  failedResources: number
}): Mark[] {
  const all = { ...seen, error: status >= 400, incomplete: failedResources > 0 }
  return (['error', 'cut', 'wide', 'restless', 'incomplete'] as const).filter((mark) => all[mark])
}

/** A page that never settles is taken as it is when its time is over. Answers whether it has settled. */
async function settleBefore(
  deadline: number,
  page: Page,
  network: Network,
  unveilTo: number | undefined,
): Promise<boolean> {
  const over = new AbortController()
  const { signal } = over
  const settled = async () => {
    while (!signal.aborted) {
      try {
        await settle(page, network, { unveilTo, signal })
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
