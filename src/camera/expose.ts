import type { CDPSession, Page } from 'playwright-core'
import { readPixels } from '../picture.ts'
import { createTurns } from '../turns.ts'
import { CaptureFailure, type PageToShoot } from './camera.ts'
import { hostOf } from './failures.ts'
import { hold, type Rest } from './rest.ts'
import { chooseStrips, STRIP, showsStrip } from './strips.ts'
import { drawAsMuchAs, type Size, takeFrame } from './window.ts'

/** A picture that is not the page's is taken again, so often. */
const ATTEMPTS = 4
/** A picture of the largest size is some 60 MB of pixels: they are looked at one at a time. */
const inTurn = createTurns(1)

export interface PictureLimits {
  readonly height: number
  readonly pixels: number
}

export interface Exposed {
  /** PNG. */
  readonly bytes: Buffer
  readonly cut: boolean
  readonly wide: boolean
}

/** How high a picture of this width may be. */
export function highest({ height, pixels }: PictureLimits, width: number): number {
  return Math.max(1, Math.min(height, Math.floor(pixels / width)))
}

/** The picture of a page that has come to rest. */
export async function expose(
  page: Page,
  session: CDPSession,
  rest: Rest,
  wanted: PageToShoot,
  { limits, signal }: { limits: PictureLimits; signal: AbortSignal },
): Promise<Exposed> {
  const { width, height, fullPage } = wanted
  const { cssContentSize } = await session.send('Page.getLayoutMetrics')
  const whole = fullPage ? Math.max(height, Math.ceil(cssContentSize.height)) : height
  const taken = Math.min(whole, highest(limits, width))
  const marks = { cut: taken < whole, wide: Math.ceil(cssContentSize.width) > width }
  if (taken === height) return { bytes: Buffer.from(rest.frame, 'base64'), ...marks }
  const size = { width, height: taken }
  await hold(page)
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    signal.throwIfAborted()
    const bytes = await exposeWhole(session, size)
    if (await inTurn(() => isRight(session, bytes, { size, window: height, signal })))
      return { bytes, ...marks }
  }
  throw new CaptureFailure(
    'unsteady',
    `${hostOf(wanted.url)} looked different each time the browser drew it, so no picture of it is sure to be right.`,
  )
}

/** First everything is drawn, then it is taken: what is not drawn yet may be shown as anything. */
async function exposeWhole(session: CDPSession, size: Size): Promise<Buffer> {
  await drawAsMuchAs(session, size)
  return Buffer.from(await takeFrame(session, { y: 0, ...size }), 'base64')
}

/** Compares strips of the picture with the same places, drawn once more, each by itself. */
async function isRight(
  session: CDPSession,
  bytes: Buffer,
  { size, window, signal }: { size: Size; window: number; signal: AbortSignal },
): Promise<boolean> {
  const picture = await readPixels(bytes)
  if (picture.width !== size.width || picture.height !== size.height) return false
  const strip = { width: size.width, height: STRIP }
  await drawAsMuchAs(session, strip)
  for (const y of chooseStrips(picture, window)) {
    signal.throwIfAborted()
    const again = Buffer.from(await takeFrame(session, { y, ...strip }), 'base64')
    if (!showsStrip(picture, y, await readPixels(again))) return false
  }
  return true
}
