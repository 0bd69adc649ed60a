import type { CDPSession, Page } from 'playwright-core'
import { readPixels } from '../picture.ts'
import { CaptureFailure, type PageToShoot } from './camera.ts'
import { hostOf } from './failures.ts'
import { findExcess, mayExceed } from './measure.ts'
import { hold, type Rest } from './rest.ts'
import { openRows } from './rows.ts'
import { chooseStrips, STRIP, showsStrip } from './strips.ts'
import { bytesOf, drawAsMuchAs, type Size, sampleOf, takeFrame, withinBudget } from './window.ts'

/** How often a wrong picture is taken again. */
const ATTEMPTS = 4
/** A page at rest is drawn within this time. */
const EXPOSE_MS = 20_000

export interface PictureLimits {
  readonly height: number
  readonly pixels: number
  /** The largest stored picture. */
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
  const seen = sampleOf(wanted.options).height
  if (size.height === seen) {
    if (bytesOf(rest.frame) > limits.bytes) throw tooLarge(wanted, size, limits, bytesOf(rest.frame))
    return { bytes: Buffer.from(rest.frame, 'base64'), ...marks }
  }
  await hold(page)
  if (mayExceed(size, limits.bytes)) {
    const excess = await findExcess(session, size, { maxBytes: limits.bytes, signal })
    if (excess !== undefined) throw tooLarge(wanted, size, limits, excess)
  }
  const bytes = await withinBudget(width * size.height, { signal, holdMs: EXPOSE_MS }, () =>
    exposeRight(session, size, wanted, { ...rules, seen }),
  )
  return { bytes, ...marks }
}

/** `seen`: the number of rows at the top that were sampled and are at rest. */
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
    `${hostOf(wanted.url)} looked different each time the browser drew it. No picture of it can be verified.`,
  )
}

/** Draws everything before it takes the picture: what is not drawn yet may show anything. */
async function exposeWhole(session: CDPSession, size: Size): Promise<Buffer> {
  await drawAsMuchAs(session, size)
  return Buffer.from(await takeFrame(session, { y: 0, ...size }), 'base64')
}

/** Draws some strips of the page once more, one by one, and compares them with the picture. */
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
      `${inMegabytes(limits.bytes)} MB (MAX_CAPTURE_BYTES). Use a smaller window, or do not capture the full page.`,
  )
}

function inMegabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)
}
