import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Browser, BrowserContext } from 'playwright-core'
import type { Guard } from '../egress/guard.ts'
import type { FoundBrowser } from './browser/browser.ts'
import { Browsers } from './browsers.ts'
import { type Camera, CaptureFailure, type PageToShoot, type Shot } from './camera.ts'
import { openContext } from './context.ts'
import { Deadline, GRACE_MS } from './deadline.ts'
import { type PictureLimits, pictureOf } from './expose.ts'
import { hostOf } from './failures.ts'
import { COOKIES_STAY } from './launch.ts'
import { ANSWER_MS, shootPage } from './shoot.ts'
import { createSlots } from './slots.ts'
import { waitsOf } from './steps/steps.ts'
import { isLarge, windowOf } from './window.ts'

/** If a context does not close within this time, its browser hangs. */
const CLOSE_MS = 5_000

export interface CameraOptions {
  /** The browsers of this machine: the first that starts is used. Throws AppError `no_browser` if there is none. */
  readonly find: () => AsyncIterable<FoundBrowser>
  readonly guard: Guard
  /** Pages at a time. With several projects there may be twice as many. */
  readonly concurrency: number
  readonly limits: PictureLimits & { readonly pageBytes: number }
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** Time for everything except loading. */
  readonly graceMs?: number
  /** How soon a page must answer when its loading time is over. */
  readonly answerMs?: number
}

/** Chromium, driven by Playwright. It starts with the first page. */
export function createCamera({
  find,
  guard,
  concurrency,
  limits,
  log,
  graceMs = GRACE_MS,
  answerMs = ANSWER_MS,
}: CameraOptions): Camera {
  const browsers = new Browsers(find, log)
  const withOwnCookies = new Browsers(find, log, COOKIES_STAY)
  /** All pages of a browser are put together by one of its processes. Pages of others must not wait there for very large ones. */
  const forLarge = new Browsers(find, log)
  const closing = new AbortController()
  const inSlot = createSlots(concurrency)
  const underWay = new Set<Promise<Shot>>()
  const browsersFor = ({ options }: PageToShoot): Browsers => {
    if (options.cookies) return withOwnCookies
    return isLarge(pictureOf(windowOf(options), limits)) ? forLarge : browsers
  }

  const shoot = async (wanted: PageToShoot, signal: AbortSignal): Promise<Shot> =>
    await browsersFor(wanted).use(async (browser, kill) => {
      const ended = new AbortController()
      const gate = await guard.openGate({
        maxBytes: limits.pageBytes,
        onTooLarge: () => ended.abort(tooLarge(wanted, limits.pageBytes)),
      })
      const deadline = new Deadline(timeOf(wanted) + graceMs, () =>
        ended.abort(tooSlow(wanted, graceMs, deadline)),
      )
      deadline.allowFor(pictureOf(windowOf(wanted.options), limits))
      const forget = [signal, closing.signal].map((source) => abortWith(ended, source))
      const until = ended.signal
      const context = openContext(browser, gate, wanted)
      context.catch(() => {})
      try {
        return await Promise.race([
          whenAborted(until),
          context.then((opened) =>
            shootPage(opened, gate, wanted, { limits, answerMs, deadline, signal: until }),
          ),
        ])
      } catch (error) {
        // If we ended the browser, our reason says more than the browser's error.
        if (until.aborted) throw until.reason
        throw isGone(browser, error)
          ? new CaptureFailure('crashed', `${hostOf(wanted.url)} crashed the browser.`)
          : error
      } finally {
        deadline.clear()
        for (const each of forget) each()
        await Promise.all([gate.close(), closeOr(context, kill)])
      }
    })

  return {
    ready: () => browsers.ready(),
    async shoot(wanted, signal) {
      if (!isWebAddress(wanted.url)) throw noWebAddress(wanted)
      const shot = inSlot(wanted.projectId ?? '', async () => {
        signal.throwIfAborted()
        closing.signal.throwIfAborted()
        return await shoot(wanted, signal)
      })
      underWay.add(shot)
      return await shot.finally(() => underWay.delete(shot))
    },
    async close() {
      closing.abort(new Error('the camera is closed'))
      await Promise.all([browsers, withOwnCookies, forLarge].map((each) => each.close()))
      await Promise.allSettled(underWay)
    },
  }
}

/** A context that is still being opened is closed as soon as it is open. */
async function closeOr(context: Promise<BrowserContext>, kill: () => Promise<void>): Promise<void> {
  const patience = new AbortController()
  const closed = context
    .then((opened) => opened.close())
    .then(
      () => true,
      () => true,
    )
  const stuck = sleep(CLOSE_MS, false, { signal: patience.signal }).catch(() => true)
  if (!(await Promise.race([closed, stuck]))) await kill()
  patience.abort()
}

/**
 * Passes on the abort of the source until the returned function is called. AbortSignal.any would keep every
 * listener, and with it the whole page, in memory for as long as one of its sources lives.
 */
function abortWith(controller: AbortController, source: AbortSignal): () => void {
  const abort = () => controller.abort(source.reason)
  if (source.aborted) abort()
  source.addEventListener('abort', abort, { once: true })
  return () => source.removeEventListener('abort', abort)
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** The page reports the end of its browser before the browser object does. */
function isGone(browser: Browser, error: unknown): boolean {
  return !browser.isConnected() || /browser has been closed/.test(String((error as Error).message))
}

function isWebAddress(url: string): boolean {
  return /^https?:$/.test(URL.parse(url)?.protocol ?? '')
}

function noWebAddress({ url }: PageToShoot): CaptureFailure {
  const { protocol = 'no scheme' } = URL.parse(url) ?? {}
  return new CaptureFailure(
    'blocked',
    `Only http and https pages are captured. This address begins with ${protocol}`,
  )
}

/** Its loading time, and the waits that were asked for. */
function timeOf({ loadingTime, options }: PageToShoot): number {
  return loadingTime + waitsOf(options)
}

function tooSlow(wanted: PageToShoot, graceMs: number, { drawing, more }: Deadline): CaptureFailure {
  const host = hostOf(wanted.url)
  const late = `${graceMs + more} ms after its loading time of ${timeOf(wanted)} ms`
  return new CaptureFailure(
    'timeout',
    drawing
      ? `The picture of ${host}, ${drawing.width} × ${drawing.height} pixels, was not drawn ${late}. ` +
          'Use a smaller window, or do not capture the full page.'
      : `${host} kept the browser busy: there was no picture ${late}.`,
  )
}

function tooLarge({ url }: PageToShoot, bytes: number): CaptureFailure {
  return new CaptureFailure('too_large', `${hostOf(url)} loads more than ${bytes} bytes (MAX_PAGE_BYTES).`)
}
