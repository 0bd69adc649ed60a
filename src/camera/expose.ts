import type { CDPSession, Page } from 'playwright-core'
import { readPixels } from '../picture.ts'
import { CaptureFailure, type PageToShoot } from './camera.ts'
import { hostOf } from './failures.ts'
import { findExcess, mayExceed } from './measure.ts'
import { hold, type Rest } from './rest.ts'
import { openRows } from './rows.ts'
import { chooseStrips, STRIP, showsStrip } from './strips.ts'
import { bytesOf, drawAsMuchAs, inRoom, lookedAt, type Size, takeFrame } from './window.ts'

/** A picture that is not the page's is taken again, so often. */
const ATTEMPTS = 4
/** A page that has come to rest is drawn by then. */
const EXPOSE_MS = 20_000

export interface PictureLimits {
  readonly height: number
  readonly pixels: number
  /** Of the picture as it is stored. */
  readonly bytes: number
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

interface Rules {
  readonly limits: PictureLimits
  readonly signal: AbortSignal
}

/** The picture of a page that has come to rest. */
export async function expose(
  page: Page,
  session: CDPSession,
  rest: Rest,
  wanted: PageToShoot,
  rules: Rules,
): Promise<Exposed> {
  const { width, height, fullPage } = wanted.options
  const { limits, signal } = rules
  const { cssContentSize } = await session.send('Page.getLayoutMetrics')
  const whole = fullPage ? Math.max(height, Math.ceil(cssContentSize.height)) : height
  const size = { width, height: Math.min(whole, highest(limits, width)) }
  const marks = { cut: size.height < whole, wide: Math.ceil(cssContentSize.width) > width }
  const seen = lookedAt(wanted.options).height
  if (size.height === seen) {
    if (bytesOf(rest.frame) > limits.bytes) throw tooLarge(wanted, size, limits, bytesOf(rest.frame))
    return { bytes: Buffer.from(rest.frame, 'base64'), ...marks }
  }
  await hold(page)
  if (mayExceed(size, limits.bytes)) {
    const excess = await findExcess(session, size, { maxBytes: limits.bytes, signal })
    if (excess !== undefined) throw tooLarge(wanted, size, limits, excess)
  }
  const bytes = await inRoom(width * size.height, { signal, holdMs: EXPOSE_MS }, () =>
    exposeRight(session, size, wanted, { ...rules, seen }),
  )
  return { bytes, ...marks }
}

/** `seen`: so many of the first rows were seen to be at rest. */
async function exposeRight(
  session: CDPSession,
  size: Size,
  wanted: PageToShoot,
  { limits, signal, seen }: Rules & { seen: number },
): Promise<Buffer> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    signal.throwIfAborted()
    const bytes = await exposeWhole(session, size)
    if (bytes.length > limits.bytes) throw tooLarge(wanted, size, limits, bytes.length)
    if (await isRight(session, bytes, { size, seen, signal })) return bytes
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
  { size, seen, signal }: { size: Size; seen: number; signal: AbortSignal },
): Promise<boolean> {
  const rows = await openRows(bytes, size)
  if (!rows) return false
  const tops = chooseStrips(await rows.inkBelow(seen), seen)
  const strip = { width: size.width, height: STRIP }
  await drawAsMuchAs(session, strip)
  for (const y of tops) {
    signal.throwIfAborted()
    const again = Buffer.from(await takeFrame(session, { y, ...strip }), 'base64')
    const { part, top } = await rows.around(y)
    if (!showsStrip(part, top, await readPixels(again))) return false
  }
  return true
}

function tooLarge(
  { url }: PageToShoot,
  { width, height }: Size,
  limits: PictureLimits,
  bytes: number,
): CaptureFailure {
  return new CaptureFailure(
    'too_large',
    `The picture of ${hostOf(url)}, ${width} × ${height} pixels, has some ${inMegabytes(bytes)} MB, more than ` +
      `${inMegabytes(limits.bytes)} MB (MAX_CAPTURE_BYTES). A smaller window, or not all of the page, has fewer.`,
  )
}

function inMegabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)
}
