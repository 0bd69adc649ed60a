import { randomInt } from 'node:crypto'
import type { CDPSession, Page } from 'playwright-core'
import type { Size } from '../contract/picture-sizes.ts'
import { readPixels } from '../picture/pixels.ts'
import { CaptureFailure, type PageToShoot } from './camera.ts'
import { type Deadline, drawMsOf } from './deadline.ts'
import { hostOf } from './failures.ts'
import { hold, type Rest } from './rest.ts'
import { openRows } from './rows.ts'
import { chooseStrips, STRIP, showsStrip } from './strips.ts'
import {
  bytesOf,
  drawAsMuchAs,
  inPixels,
  inWholePixels,
  type Part,
  ROUNDING,
  readLayout,
  sampleOf,
  takeFrame,
  type View,
  type Window,
  windowOf,
  withinBudget,
} from './window.ts'

/** How often a wrong picture is taken again. */
const ATTEMPTS = 4
/** A page at rest is drawn within this time, a large one within more. */
const EXPOSE_MS = 20_000
/** A picture that cannot be compressed has so many bytes, and one more for each row. */
const MOST_BYTES_A_PIXEL = 3
/** The size of a part whose bytes are measured, in pixels of the picture. */
const PART_PIXELS = 1_048_576
/** At least this share of a picture is measured. It stops there if the estimate is below `FAR` of the limit. */
const SHARE = 1 / 4
const FAR = 1 / 2
/** Parts compress a little worse than the whole picture. */
const CLEARLY = 1.1

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
  /** The side that is missing. */
  readonly wide: 'left' | 'right' | false
}

/** How many rows of a window of this width a picture may show. */
export function highest({ height, pixels }: PictureLimits, { width, scale }: Omit<Window, 'height'>): number {
  const rows = Math.min(height, Math.floor(pixels / Math.round(width * scale)))
  return Math.max(1, Math.floor(rows / scale))
}

export function pictureOf(window: Window, limits: PictureLimits): Size {
  const height = Math.min(window.height, highest(limits, window))
  return inPixels({ width: window.width, height }, window.scale)
}

export interface ExposeRules {
  readonly limits: PictureLimits
  readonly deadline: Deadline
  readonly signal: AbortSignal
}

export async function expose(
  page: Page,
  session: CDPSession,
  rest: Rest,
  wanted: PageToShoot,
  rules: ExposeRules,
): Promise<Exposed> {
  const window = windowOf(wanted.options)
  const { width, height, scale } = window
  const { limits } = rules
  const { zoom, start, ...content } = await readLayout(session)
  const whole = wanted.options.fullPage
    ? Math.max(height, Math.ceil(content.height - ROUNDING) * zoom)
    : height
  const most = highest(limits, window)
  const part = { width, height: whole > most ? inWholePixels(most, zoom) : whole }
  const isWide = Math.floor(content.width * zoom) > width
  const marks = { cut: part.height < whole, wide: isWide && (start > 0 ? 'left' : 'right') } as const
  const seen = sampleOf(window).height
  const size = inPixels(part, scale)
  if (part.height === seen && rest.frame !== undefined) {
    if (bytesOf(rest.frame) > limits.bytes) throw tooLarge(wanted, size, limits, bytesOf(rest.frame))
    return { bytes: Buffer.from(rest.frame, 'base64'), ...marks }
  }
  await hold(page)
  const view = { x: start * zoom, y: 0, ...part, scale, zoom }
  return { bytes: await exposePart(session, view, wanted, { ...rules, seen }), ...marks }
}

/**
 * The picture of a part of a page whose scripts are held. `seen`: the number of rows at the top that were sampled and are at
 * rest.
 */
export async function exposePart(
  session: CDPSession,
  view: View,
  wanted: PageToShoot,
  rules: ExposeRules & { seen: number },
): Promise<Buffer> {
  const { limits, deadline, signal } = rules
  const size = inPixels(view, view.scale)
  deadline.allowFor(size)
  const stay = {
    ...{ signal, holdMs: EXPOSE_MS + drawMsOf(size), owner: wanted.projectId ?? '' },
    whileWaiting: (waiting: Promise<void>) => deadline.without(waiting),
  }
  return await withinBudget(size.width * size.height, stay, async () => {
    deadline.drawing = size
    try {
      const excess = mayExceed(size, limits.bytes)
        ? await findExcess(session, view, { maxBytes: limits.bytes, signal })
        : undefined
      if (excess !== undefined) throw tooLarge(wanted, size, limits, excess)
      return await exposeRight(session, view, wanted, rules)
    } finally {
      deadline.drawing = undefined
    }
  })
}

async function exposeRight(
  session: CDPSession,
  view: View,
  wanted: PageToShoot,
  { limits, signal, seen }: Pick<ExposeRules, 'limits' | 'signal'> & { seen: number },
): Promise<Buffer> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    signal.throwIfAborted()
    const bytes = await exposeWhole(session, view)
    if (bytes.length > limits.bytes) throw tooLarge(wanted, inPixels(view, view.scale), limits, bytes.length)
    if (await isRight(session, bytes, { view, seen, signal })) return bytes
  }
  throw new CaptureFailure(
    'unsteady',
    `${hostOf(wanted.url)} looked different each time the browser drew it. No picture of it can be verified.`,
  )
}

/** Draws everything before it takes the picture: what is not drawn yet may show anything. */
async function exposeWhole(session: CDPSession, view: View): Promise<Buffer> {
  await drawAsMuchAs(session, view)
  return Buffer.from(await takeFrame(session, view, view.zoom), 'base64')
}

/**
 * Draws some strips of the page once more, one by one, and compares them with the picture. A picture that is too small for a
 * strip is drawn once more as a whole.
 */
async function isRight(
  session: CDPSession,
  bytes: Buffer,
  { view, seen, signal }: { view: View; seen: number; signal: AbortSignal },
): Promise<boolean> {
  const { scale, zoom } = view
  const size = inPixels(view, scale)
  const rows = await openRows(bytes, size)
  if (!rows) return false
  if (size.height < STRIP) return bytes.equals(await exposeWhole(session, view))
  const from = Math.round(seen * scale)
  const tops = chooseStrips(await rows.inkBelow(from), from)
  // Some rows more, of which the first are compared.
  const strip = { ...view, height: Math.ceil((STRIP + 1) / scale / zoom) * zoom }
  await drawAsMuchAs(session, strip)
  for (const y of tops) {
    signal.throwIfAborted()
    const again = Buffer.from(await takeFrame(session, { ...strip, y: view.y + y / scale }, zoom), 'base64')
    const { part, top } = await rows.around(y)
    const drawn = await readPixels(again, { top: 0, width: size.width, height: STRIP })
    if (!showsStrip(part, top, drawn)) return false
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

function mayExceed({ width, height }: Size, maxBytes: number): boolean {
  return (width * MOST_BYTES_A_PIXEL + 1) * height > maxBytes
}

/**
 * About how many bytes a picture of the page has, if that is clearly more than `maxBytes`. Else undefined. It takes parts
 * of the picture, in a random order so that no page can prepare for it.
 */
async function findExcess(
  session: CDPSession,
  view: View,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<number | undefined> {
  const parts = shuffle(split(view))
  let [rows, bytes] = [0, 0]
  for (const [index, part] of parts.entries()) {
    signal.throwIfAborted()
    await drawAsMuchAs(session, part)
    bytes += bytesOf(await takeFrame(session, part, view.zoom))
    rows += part.height
    const all = (bytes / rows) * view.height
    if (bytes > maxBytes * CLEARLY) return all
    if (index + 1 >= parts.length * SHARE && all < maxBytes * FAR) break
  }
  return undefined
}

function split({ width, height, scale, x, y }: View): Part[] {
  const rows = Math.max(1, Math.floor(PART_PIXELS / (width * scale) / scale))
  return Array.from({ length: Math.ceil(height / rows) }, (_, index) => {
    const top = index * rows
    return { ...(x && { x }), y: y + top, width, height: Math.min(rows, height - top) }
  })
}

function shuffle<T>(all: T[]): T[] {
  for (let last = all.length - 1; last > 0; last--) {
    const other = randomInt(last + 1)
    ;[all[last], all[other]] = [all[other] as T, all[last] as T]
  }
  return all
}
