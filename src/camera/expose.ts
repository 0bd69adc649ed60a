import type { CDPSession } from 'playwright-core'
import { readStrips } from '../picture.ts'
import { CaptureFailure, type PageToShoot } from './camera.ts'
import { hostOf } from './failures.ts'
import type { Rest } from './rest.ts'
import { drawAsMuchAs, takeFrame } from './window.ts'

/** A picture that is not the page's is taken again, so often. */
const ATTEMPTS = 4
/** Pixels. */
const STRIP = 32

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
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    signal.throwIfAborted()
    const bytes = await exposeWhole(session, { width, height: taken })
    signal.throwIfAborted()
    if (await isRight(session, bytes, { width, height: taken, window: height, rest })) {
      return { bytes, ...marks }
    }
  }
  throw new CaptureFailure(
    'unsteady',
    `${hostOf(wanted.url)} looked different each time the browser drew it, so no picture of it is sure to be right.`,
  )
}

/**
 * First everything is drawn, then it is taken: a picture that is larger than what is drawn shows the window over and over.
 */
async function exposeWhole(session: CDPSession, size: { width: number; height: number }): Promise<Buffer> {
  await drawAsMuchAs(session, size)
  return Buffer.from(await takeFrame(session, { y: 0, ...size }), 'base64')
}

/** Compares strips of the picture with the same places, drawn once more, each by itself. */
async function isRight(
  session: CDPSession,
  bytes: Buffer,
  { width, height, window, rest }: { width: number; height: number; window: number; rest: Rest },
): Promise<boolean> {
  const tops = [window, Math.round((window + height) / 2), height - STRIP].filter(
    (top) => top + STRIP <= height,
  )
  await drawAsMuchAs(session, { width, height: STRIP })
  const drawn: Buffer[] = []
  for (const y of tops) {
    drawn.push(Buffer.from(await takeFrame(session, { y, width, height: STRIP }), 'base64'))
  }
  const [shown, again] = await Promise.all([
    readStrips(bytes, { tops, height: STRIP, of: { width, height } }),
    Promise.all(
      drawn.map((strip) => readStrips(strip, { tops: [0], height: STRIP, of: { width, height: STRIP } })),
    ),
  ])
  void rest
  return shown !== undefined && again.every((strip, index) => strip?.[0]?.equals(shown[index] as Buffer))
}
