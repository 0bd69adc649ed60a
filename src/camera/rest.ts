import { setTimeout as sleep } from 'node:timers/promises'
import type { CDPSession, Frame, Page } from 'playwright-core'
import { holdScripts, still } from './in-page/still.ts'
import { drawFrames, goToTop } from './in-page/unveil.ts'
import type { Loaded } from './loading.ts'
import { leadMouseOut, type Size, takeLook } from './window.ts'

/** Whatever moves by a script is over after so many looks, or goes on without end. */
const LOOKS = 8
/** The page's own frames between two looks: on a busy machine it takes longer until a script has drawn them. */
const FRAMES = 15
/** What has moved once may only have paused: then they are further apart. */
const MOVED = { frames: 40, milliseconds: 650, atMost: 1_500 }
/** A frame that a page in it keeps busy is not waited for. */
const FRAME_MS = 1_500

export interface Rest {
  /** What of the window was looked at: PNG, in Base64. */
  readonly frame: string
  /** Whether the page stopped moving by itself. */
  readonly atRest: boolean
}

export interface RestRules extends Loaded {
  readonly window: Size
  readonly fullPage: boolean
  readonly signal: AbortSignal
}

/**
 * Stills the page until two frames are the same, one before and one after it was completed. One whose scripts go on drawing
 * is held after a while.
 */
export async function comeToRest(
  page: Page,
  session: CDPSession,
  { window, fullPage, complete, scripted, signal }: RestRules,
): Promise<Rest> {
  const pointer = leadMouseOut(session)
  let last: string
  if (scripted) {
    last = await look(page, session, { window, fullPage, signal, pointer })
    await Promise.all([complete(), page.evaluate(drawFrames, FRAMES)])
  } else {
    // Nothing happens between two frames: they are taken at once.
    await Promise.all([complete(), pointer])
    await stillAll(page, fullPage)
    const [one, other] = await Promise.all([
      takeLook(session, window, signal),
      takeLook(session, window, signal),
    ])
    if (one === other) return { frame: one, atRest: true }
    last = other
  }
  for (let looks = 1; ; looks++) {
    signal.throwIfAborted()
    const frame = await look(page, session, { window, fullPage, signal })
    if (frame === last) return { frame, atRest: looks <= LOOKS }
    last = frame
    if (looks < LOOKS) await passFrames(page, signal)
    else if (looks === LOOKS) await hold(page)
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

/** For a page whose time is over, whatever it is at: it may just be scrolled through. */
export async function takeAsItIs(
  page: Page,
  session: CDPSession,
  { window, fullPage, signal }: Pick<RestRules, 'window' | 'fullPage' | 'signal'>,
): Promise<Rest> {
  if (fullPage) {
    await hold(page)
    await page.evaluate(goToTop)
  }
  await leadMouseOut(session)
  return { frame: await look(page, session, { window, fullPage, signal }), atRest: false }
}

interface Looking extends Pick<RestRules, 'window' | 'fullPage' | 'signal'> {
  readonly pointer?: Promise<void>
}

async function look(
  page: Page,
  session: CDPSession,
  { window, fullPage, signal, pointer }: Looking,
): Promise<string> {
  await Promise.all([stillAll(page, fullPage), pointer])
  return await takeLook(session, window, signal)
}

async function stillAll(page: Page, fullPage: boolean): Promise<void> {
  await inEveryFrame(page, (frame) => frame.evaluate(still, fullPage))
}

/** From here on the page does nothing by itself. */
export async function hold(page: Page): Promise<void> {
  await inEveryFrame(page, (frame) => frame.evaluate(holdScripts))
}

/** One that is gone, or does not answer, is left alone. */
async function inEveryFrame(page: Page, work: (frame: Frame) => Promise<void>): Promise<void> {
  const over = new AbortController()
  const tooLong = sleep(FRAME_MS, undefined, { signal: over.signal }).catch(() => {})
  const [main, ...others] = page.frames()
  const done = others.map((frame) => work(frame).catch(() => {}))
  // The page itself is waited for: whoever asked for it bounds the time, and hears that it has moved on.
  if (main) await work(main)
  await Promise.race([Promise.all(done), tooLong])
  over.abort()
}
