import { setTimeout as sleep } from 'node:timers/promises'
import type { CDPSession, Page } from 'playwright-core'
import { inEveryFrame } from './every-frame.ts'
import { holdScripts, still } from './in-page/still.ts'
import { drawFrames, goToTop } from './in-page/unveil.ts'
import type { Loaded } from './loading.ts'
import { leadMouseOut, type Sample, takeSample, type Window } from './window.ts'

/** A movement that is not over after this many samples never ends. */
const MAX_SAMPLES = 8
/** Frames of the page between two samples. Counted in frames because a busy machine draws them more slowly. */
const FRAMES = 15
/** After a movement samples are further apart: it may only pause. */
const MOVED = { frames: 40, milliseconds: 650, atMost: 1_500 }

export interface Rest {
  /** The last sample: PNG, in Base64. */
  readonly frame: string | undefined
  /** Whether the page stopped moving by itself. */
  readonly atRest: boolean
}

export interface RestRules extends Loaded {
  readonly window: Window
  readonly fullPage: boolean
  /** Called before each sample of the completed page. */
  readonly prepare: () => Promise<void>
  readonly signal: AbortSignal
}

/**
 * Stops movement until two samples are equal, one before and one after the page was completed. If scripts keep drawing,
 * they are stopped after a while.
 */
export async function comeToRest(
  page: Page,
  session: CDPSession,
  { window, fullPage, prepare, complete, scripted, signal }: RestRules,
): Promise<Rest> {
  const pointer = leadMouseOut(session)
  let last: string
  if (scripted) {
    last = (await settleAndSample(page, session, { window, fullPage, signal, pointer })).mark
    await Promise.all([complete(), page.evaluate(drawFrames, FRAMES)])
  } else {
    // Without scripts nothing changes between two samples: take them at once.
    await Promise.all([complete(), pointer])
    await stillAll(page, fullPage)
    const [one, other] = await Promise.all([
      takeSample(session, window, signal),
      takeSample(session, window, signal),
    ])
    if (one.mark === other.mark) return { frame: one.frame, atRest: true }
    last = other.mark
  }
  for (let samples = 1; ; samples++) {
    signal.throwIfAborted()
    const { frame, mark } = await settleAndSample(page, session, { window, fullPage, prepare, signal })
    if (mark === last) return { frame, atRest: samples <= MAX_SAMPLES }
    last = mark
    if (samples < MAX_SAMPLES) await passFrames(page, signal)
    else if (samples === MAX_SAMPLES) await hold(page)
    else await sleep(MOVED.milliseconds, undefined, { signal })
  }
}

async function passFrames(page: Page, signal: AbortSignal): Promise<void> {
  const atMost = sleep(MOVED.atMost, undefined, { signal })
  await Promise.all([
    sleep(MOVED.milliseconds, undefined, { signal }),
    Promise.race([page.evaluate(drawFrames, MOVED.frames), atMost]),
  ])
}

/** For a page whose loading time is over. It may still be scrolled: go to its top first. */
export async function takeAsItIs(
  page: Page,
  session: CDPSession,
  { window, fullPage, prepare, signal }: Omit<RestRules, keyof Loaded>,
): Promise<Rest> {
  if (fullPage) {
    await hold(page)
    await page.evaluate(goToTop)
  }
  await leadMouseOut(session)
  const { frame } = await settleAndSample(page, session, { window, fullPage, prepare, signal })
  return { frame, atRest: false }
}

interface SampleRules extends Pick<RestRules, 'window' | 'fullPage' | 'signal'> {
  readonly prepare?: () => Promise<void>
  readonly pointer?: Promise<void>
}

async function settleAndSample(
  page: Page,
  session: CDPSession,
  { window, fullPage, prepare, signal, pointer }: SampleRules,
): Promise<Sample> {
  await Promise.all([stillAll(page, fullPage), pointer])
  await prepare?.()
  return await takeSample(session, window, signal)
}

async function stillAll(page: Page, fullPage: boolean): Promise<void> {
  await inEveryFrame(page, (frame) => frame.evaluate(still, fullPage))
}

/** Stops all scripts of the page for good. */
export async function hold(page: Page): Promise<void> {
  await inEveryFrame(page, (frame) => frame.evaluate(holdScripts))
}
