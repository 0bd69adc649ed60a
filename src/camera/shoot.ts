import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { MARK_NAMES, type Mark, type Note, type Seen } from '../contract/seen.ts'
import type { CaptureReason } from '../contract/status.ts'
import type { Gate } from '../egress/guard.ts'
import { CaptureFailure, type PageToShoot, type Shot } from './camera.ts'
import { type Deadline, drawMsOf } from './deadline.ts'
import { type Exposed, expose, highest, type PictureLimits, pictureOf } from './expose.ts'
import { hostOf } from './failures.ts'
import { findPlaceholders } from './in-page/placeholders.ts'
import { keepDrawing } from './keep-drawing.ts'
import { type Loaded, type Network, observeNetwork, whenLoaded } from './loading.ts'
import { HOLD_MS, movedOn, stayHere, unless, watchMoves } from './moves.ts'
import { sendToOwnOrigin } from './own-origin.ts'
import { before, LoadingTime, MOVED_MS, whereverItGoes } from './patience.ts'
import { originOf } from './paused.ts'
import { comeToRest, type Rest, takeAsItIs } from './rest.ts'
import { exposeElement } from './steps/element.ts'
import { forgetPassword, requireForgotten } from './steps/login.ts'
import { sayLast } from './steps/selector.ts'
import type { Stage } from './steps/stage.ts'
import { hasSteps, notesOf, prepareSteps, runSteps } from './steps/steps.ts'
import { World } from './steps/world.ts'
import type { Trust } from './trust.ts'
import { observeVisit, type Visit } from './visit.ts'
import { openWindow, windowOf } from './window.ts'

/** If a page does not answer for this long after its loading time, a script keeps it busy for good. */
export const ANSWER_MS = 4_000
/** A large window has this share of its time for drawing to answer in. */
const ANSWER_SHARE = 1 / 10
/** What was seen of the page may say why a step failed. */
const STEP_REASONS: readonly CaptureReason[] = ['login', 'wait_for', 'element']

/** How long to wait for the content of a page that is at rest, but shows placeholders. */
const PLACEHOLDERS_MS = 5_000
const LOOK_MS = 250

/** The loading time of a page that is opened again. It came before, so it comes soon. */
const AGAIN_MS = 5_000

const LEFT_MISSING: Note = {
  note: 'wide',
  detail: 'The page begins at its right, and is wider than the picture: its left side is missing.',
}

interface Rules {
  readonly limits: PictureLimits
  readonly answerMs: number
  readonly deadline: Deadline
  readonly signal: AbortSignal
}

/** The browser takes no picture of a page that has moved, although the page stays where it is now. */
class Stuck extends Error {}

/**
 * If Chromium is asked for a picture of a page while the page moves, it sometimes never takes one of it again. Then the page is
 * opened once more, and stays on its first document.
 */
export async function shootPage(
  context: BrowserContext,
  gate: Gate,
  wanted: PageToShoot,
  rules: Rules,
): Promise<Shot> {
  try {
    return await inNewPage(context, wanted, (page) => shoot(page, gate, wanted, rules))
  } catch (error) {
    if (!(error instanceof Stuck)) throw error
    const again = { ...wanted, loadingTime: Math.min(wanted.loadingTime, AGAIN_MS) }
    return await inNewPage(context, wanted, (page) => shoot(page, gate, again, { ...rules, stays: true }))
  }
}

async function inNewPage(
  context: BrowserContext,
  { url }: PageToShoot,
  work: (page: Page) => Promise<Shot>,
): Promise<Shot> {
  const page = await context.newPage()
  const closePopup = (popup: Page) => void popup.close().catch(() => {})
  context.on('page', closePopup)
  const crashed = new Promise<never>((_, reject) => {
    page.once('crash', () => reject(new CaptureFailure('crashed', `${hostOf(url)} crashed the browser.`)))
  })
  crashed.catch(() => {})
  try {
    return await Promise.race([crashed, work(page)])
  } catch (error) {
    if (error instanceof Stuck) await page.close().catch(() => {})
    context.off('page', closePopup)
    throw error
  }
}

async function shoot(
  page: Page,
  gate: Gate,
  wanted: PageToShoot,
  { limits, deadline, signal, stays = false, ...given }: Rules & { readonly stays?: boolean },
): Promise<Shot> {
  const network = observeNetwork(page)
  const visit = observeVisit(page, gate, wanted)
  const session = await openWindow(page, wanted.options)
  const window = windowOf(wanted.options)
  // A large window is drawn while the page answers.
  const answerMs = given.answerMs + Math.ceil(drawMsOf(pictureOf(window, limits)) * ANSWER_SHARE)
  const trust = await sendToOwnOrigin(page, wanted)
  const moves = await watchMoves(session)
  const requireAnswer = async (): Promise<void> => {
    const first = moves.count()
    // If the page has moved meanwhile, its new document is asked in the next attempt.
    if (!(await answers(session, answerMs)) && moves.count() === first) throw silent(wanted, answerMs, stage)
  }
  const world = new World(session)
  const time = new LoadingTime(wanted.loadingTime)
  const stage: Stage | undefined = hasSteps(wanted.options)
    ? {
        page,
        session,
        network,
        visit,
        world,
        trust,
        wanted,
        time,
        signal,
        notes: [],
        requireAnswer,
        doing: undefined,
      }
    : undefined
  const seeNow = (found: Found) => see(page, visit, network, found, { stage, trust })
  if (stage) await prepareSteps(stage)
  await visit.navigate()
  if (stays) await stayHere(session)
  const login =
    stage &&
    (await keepDrawing(session, window, () => runSteps(stage)).catch(async (error) => {
      if (!(error instanceof CaptureFailure) || !STEP_REASONS.includes(error.reason)) throw error
      throw await explain(error, visit, () =>
        before(performance.now() + answerMs, () => seeNow({ restless: false })),
      )
    }))
  const { fullPage, element } = wanted.options
  const prepare = async () => {
    await trust?.stopStrangers()
    if (login) await forgetPassword({ world })
  }
  const rules = { window, fullPage, prepare }
  const unveilTo = fullPage ? highest(limits, window) : undefined

  const findRest = async (over: AbortSignal): Promise<Rest> => {
    const given = { visit, unveilTo, signal: over }
    let loaded: Loaded
    let first: number
    do {
      first = moves.count()
      loaded = await whenLoaded(page, session, network, given)
      if (!stays) await moves.arrived(over)
    } while (moves.count() > first)
    const rest = await comeToRest(page, session, { ...loaded, ...rules, signal: over })
    if (!loaded.scripted || !(await filledPlaceholders(page, over))) return rest
    loaded = await whenLoaded(page, session, network, given)
    return await comeToRest(page, session, { ...loaded, ...rules, signal: over })
  }
  const asItIs = (called: AbortSignal) => takeAsItIs(page, session, { ...rules, signal: called })
  const take = async (rest: Rest, called: AbortSignal): Promise<Shot> => {
    const { bytes, ...marks } =
      element === undefined
        ? await expose(page, session, rest, wanted, { limits, deadline, signal: called })
        : await exposeElement(page, session, element, wanted, { world, limits, deadline, signal: called })
    const waiting = (await page.evaluate(findPlaceholders)) === 'named'
    const seen = await seeNow({ ...marks, waiting, restless: stays || !rest.atRest })
    if (login) await requireForgotten({ world })
    login?.requireAllowed()
    trust?.requireOwnPlace()
    return { bytes, seen }
  }

  let isHeld = stays
  for (let patience = HOLD_MS; ; patience *= 2) {
    let first = moves.count()
    const hasMoved = () => moves.count() > first
    const hasMovedOrIsStuck = () => {
      // Steps are not done twice.
      if (!hasMoved() && isHeld && !stays && !stage) throw new Stuck(`no picture of ${hostOf(wanted.url)}`)
      return hasMoved()
    }
    try {
      let rest = await keepDrawing(session, window, () =>
        before(time.end, (over) => whereverItGoes(findRest, over)),
      )
      if (!rest) {
        // The loading time is over, but the page is not at rest: take it as it is.
        await requireAnswer()
        rest = await keepDrawing(session, window, () => unless(hasMovedOrIsStuck, patience, asItIs, signal))
      }
      first = moves.count()
      signal.throwIfAborted()
      visit.requirePage()
      if (visit.isUnwanted) throw visit.statusFailure(await seeNow({ restless: !rest.atRest }))
      return await unless(hasMoved, patience, (called) => take(rest, called), signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!movedOn(error)) throw error
      if (!isHeld && time.left === 0) {
        await stayHere(session)
        isHeld = true
      }
      await sleep(MOVED_MS, undefined, { signal })
    }
  }
}

/** If the page shows placeholders: waits for their content. Returns whether it came. */
async function filledPlaceholders(page: Page, signal: AbortSignal): Promise<boolean> {
  const end = performance.now() + PLACEHOLDERS_MS
  for (let looks = 0; ; looks++) {
    if ((await page.evaluate(findPlaceholders)) === 'none') return looks > 0
    if (performance.now() > end) return false
    await sleep(LOOK_MS, undefined, { signal })
  }
}

/** False if a script keeps the page busy. A page that is just moving answers with an error, which counts as an answer. */
async function answers(session: CDPSession, withinMs: number): Promise<boolean> {
  const asked = () => Promise.allSettled([session.send('Runtime.evaluate', { expression: '0' })])
  return (await before(performance.now() + withinMs, asked)) !== undefined
}

function silent(
  { url, loadingTime }: PageToShoot,
  answerMs: number,
  stage: Stage | undefined,
): CaptureFailure {
  const words = `it did not answer for ${answerMs} ms after its loading time of ${loadingTime} ms.`
  const step = stage?.world.isAsked && stage.doing !== undefined ? ` ${sayLast(stage.doing)}` : ''
  return new CaptureFailure('timeout', `${hostOf(url)} kept the browser busy: ${words}${step}`)
}

/** A step failed. An element that is missing on an error page is not the reason if the status is one. */
async function explain(
  { reason, message }: CaptureFailure,
  visit: Visit,
  see: () => Promise<Seen | undefined>,
): Promise<CaptureFailure> {
  const seen = await see().catch(() => undefined)
  if (seen && reason !== 'login' && visit.isUnwanted) return visit.statusFailure(seen)
  return new CaptureFailure(reason, message, seen)
}

type Found = Partial<Pick<Exposed, 'cut' | 'wide'>> & { restless: boolean; waiting?: boolean }

/** Facts that the picture itself does not show. */
async function see(
  page: Page,
  visit: Visit,
  network: Network,
  found: Found,
  { stage, trust }: { stage: Stage | undefined; trust: Trust | undefined },
): Promise<Seen> {
  const { status } = visit
  const failedResources = visit.failedResources + network.waitsFor()
  const marks: Partial<Record<Mark, boolean>> = {
    cut: found.cut ?? false,
    restless: found.restless,
    waiting: found.waiting ?? false,
    error: status >= 400,
    incomplete: failedResources > 0,
    wide: Boolean(found.wide),
  }
  const title = await page.title()
  // A site that chose the page could see from its address and title what is cut out of them.
  const isChosen = trust?.guide === undefined
  const notes = [...(found.wide === 'left' ? [LEFT_MISSING] : []), ...(stage ? await notesOf(stage) : [])]
  return {
    ...{ status, failedResources, title: isChosen ? title : '' },
    url: isChosen ? page.url() : `${originOf(page.url())}/`,
    marks: MARK_NAMES.filter((mark) => marks[mark]),
    ...(notes.length > 0 && { notes }),
  }
}
