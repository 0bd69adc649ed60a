import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { MARK_NAMES, type Mark, type Seen } from '../contract/seen.ts'
import type { Gate } from '../egress/guard.ts'
import { CaptureFailure, type PageToShoot, type Shot } from './camera.ts'
import { type Exposed, expose, highest, type PictureLimits } from './expose.ts'
import { hostOf } from './failures.ts'
import { type Network, observeNetwork, whenLoaded } from './loading.ts'
import { countMoves, HOLD_MS, movedOn, stayHere, unless } from './moves.ts'
import { sendToOwnOrigin } from './own-origin.ts'
import { comeToRest, type Rest, takeAsItIs } from './rest.ts'
import { Visit } from './visit.ts'
import { openWindow, windowOf } from './window.ts'

/** Time for everything except loading: opening the page, and the picture itself. */
export const GRACE_MS = 20_000
/** If a page does not answer for so long after its loading time, a script keeps it busy for good. */
export const ANSWER_MS = 4_000
/** Pause between two attempts at a page that has moved. */
const MOVED_MS = 50
const ERROR_PAGE = 'chrome-error:'

interface Rules {
  readonly limits: PictureLimits
  readonly answerMs: number
  readonly signal: AbortSignal
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

async function shoot(
  page: Page,
  gate: Gate,
  wanted: PageToShoot,
  { limits, answerMs, signal }: Rules,
): Promise<Shot> {
  const network = observeNetwork(page)
  const visit = new Visit(page, gate, wanted)
  const session = await openWindow(page, wanted.options)
  await sendToOwnOrigin(page, wanted)
  const moves = await countMoves(session)
  const deadline = performance.now() + wanted.loadingTime
  await visit.navigate()
  const { fullPage } = wanted.options
  const window = windowOf(wanted.options)
  const rules = { window, fullPage }
  const unveilTo = fullPage ? highest(limits, window) : undefined

  const findRest = async (over: AbortSignal): Promise<Rest> => {
    const loaded = await whenLoaded(page, session, network, { unveilTo, signal: over })
    return await comeToRest(page, session, { ...loaded, ...rules, signal: over })
  }
  const requireAnswer = async (): Promise<void> => {
    const before = moves()
    // If the page has moved meanwhile, its new document is asked in the next attempt.
    if (!(await answers(session, answerMs)) && moves() === before) throw silent(wanted, answerMs)
  }
  const asItIs = (called: AbortSignal) => takeAsItIs(page, session, { ...rules, signal: called })
  const take = async (rest: Rest, called: AbortSignal): Promise<Shot> => {
    const exposed = await expose(page, session, rest, wanted, { limits, signal: called })
    return {
      bytes: exposed.bytes,
      seen: await see(page, visit, network, { ...exposed, restless: !rest.atRest }),
    }
  }

  let isHeld = false
  for (let patience = HOLD_MS; ; patience *= 2) {
    let first = moves()
    const hasMoved = () => moves() > first
    try {
      let rest = await before(deadline, (over) => whereverItGoes(findRest, over))
      if (!rest) {
        // The loading time is over, but the page is not at rest: take it as it is.
        await requireAnswer()
        rest = await unless(hasMoved, patience, asItIs, signal)
      }
      first = moves()
      signal.throwIfAborted()
      // The page moved to an address that failed: the window shows the browser's error page.
      if (page.url().startsWith(ERROR_PAGE)) throw visit.lastFailure()
      if (visit.isUnwanted)
        throw visit.statusFailure(await see(page, visit, network, { restless: !rest.atRest }))
      return await unless(hasMoved, patience, (called) => take(rest, called), signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!movedOn(error)) throw error
      if (!isHeld && performance.now() > deadline) {
        await stayHere(session)
        isHeld = true
      }
      await sleep(MOVED_MS, undefined, { signal })
    }
  }
}

/** False if a script keeps the page busy. A page that is just moving answers with an error, which counts as an answer. */
async function answers(session: CDPSession, withinMs: number): Promise<boolean> {
  const over = new AbortController()
  const answer = session.send('Runtime.evaluate', { expression: '0' }).then(
    () => true,
    () => true,
  )
  const late = sleep(withinMs, false, { signal: over.signal }).catch(() => false)
  return await Promise.race([answer, late]).finally(() => over.abort())
}

function silent({ url, loadingTime }: PageToShoot, answerMs: number): CaptureFailure {
  return new CaptureFailure(
    'timeout',
    `${hostOf(url)} kept the browser busy: it did not answer for ${answerMs} ms after its loading time of ${loadingTime} ms.`,
  )
}

/** What the picture itself does not show. */
async function see(
  page: Page,
  visit: Visit,
  network: Network,
  found: Partial<Pick<Exposed, 'cut' | 'wide'>> & { restless: boolean },
): Promise<Seen> {
  const { status } = visit
  const failedResources = visit.failedResources + network.waitsFor()
  const marks: Partial<Record<Mark, boolean>> = {
    ...found,
    error: status >= 400,
    incomplete: failedResources > 0,
  }
  return {
    ...{ status, failedResources },
    url: page.url(),
    title: await page.title(),
    marks: MARK_NAMES.filter((mark) => marks[mark]),
  }
}

/** If the page moves meanwhile, wait for its new document. */
async function whereverItGoes<T>(
  work: (over: AbortSignal) => Promise<T>,
  over: AbortSignal,
): Promise<T | undefined> {
  while (!over.aborted) {
    try {
      return await work(over)
    } catch (error) {
      if (over.aborted) break
      if (!movedOn(error)) throw error
      await sleep(MOVED_MS)
    }
  }
  return undefined
}

/** Undefined if it takes longer. */
async function before<T>(deadline: number, work: (over: AbortSignal) => Promise<T>): Promise<T | undefined> {
  const over = new AbortController()
  const { signal } = over
  const working = work(signal)
  working.catch(() => {})
  const late = sleep(Math.max(0, deadline - performance.now()), undefined, { signal }).catch(() => undefined)
  return await Promise.race([working, late]).finally(() => over.abort())
}
