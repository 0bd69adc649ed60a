import { setTimeout as sleep } from 'node:timers/promises'
import type { CDPSession, Frame, Page } from 'playwright-core'
import { holdScripts, still } from './in-page/still.ts'
import { leadMouseOut, takeFrame } from './window.ts'

/** Whatever moves by a script is over by then, or goes on without end. */
const PATIENCE_MS = 2_000
/** A frame that a page in it keeps busy is not waited for. */
const FRAME_MS = 1_500
const LONGEST_PAUSE_MS = 200

export interface Rest {
  /** What the window shows: PNG, in Base64. */
  readonly frame: string
  /** Whether the page stopped moving by itself. */
  readonly atRest: boolean
}

/**
 * Stills the page until two frames in a row are the same. One whose scripts go on drawing is held after a while; one that
 * moves all the same is taken as it is when `deadline` is over.
 */
export async function comeToRest(
  page: Page,
  session: CDPSession,
  { fullPage, deadline, signal }: { fullPage: boolean; deadline: number; signal: AbortSignal },
): Promise<Rest> {
  await leadMouseOut(session)
  const patience = Math.min(deadline, performance.now() + PATIENCE_MS)
  let isHeld = false
  let last: string | undefined
  for (let pause = 0; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2 + 25)) {
    await inEveryFrame(page, (frame) => frame.evaluate(still, fullPage))
    const frame = await takeFrame(session)
    signal.throwIfAborted()
    if (frame === last) return { frame, atRest: !isHeld }
    const now = performance.now()
    if (isHeld && now > deadline) return { frame, atRest: false }
    if (!isHeld && now > patience) {
      isHeld = true
      await inEveryFrame(page, (each) => each.evaluate(holdScripts))
    }
    if (last !== undefined) await sleep(pause, undefined, { signal })
    last = frame
  }
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
