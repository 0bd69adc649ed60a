import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Browser, BrowserContext } from 'playwright-core'
import type { FoundBrowser } from '../browser/browser.ts'
import type { Guard } from '../egress/guard.ts'
import { Browsers } from './browsers.ts'
import { type Camera, CaptureFailure, type PageToShoot, type Shot } from './camera.ts'
import type { PictureLimits } from './expose.ts'
import { hostOf } from './failures.ts'
import { createPlaces } from './places.ts'
import { ANSWER_MS, GRACE_MS, openContext, shootPage } from './shoot.ts'

/** A context that does not close by then is stuck, and its browser with it. */
const CLOSE_MS = 5_000

export interface CameraOptions {
  /** Those there are: the first that starts is taken. Throws AppError `no_browser` where there is none. */
  readonly find: () => AsyncIterable<FoundBrowser>
  readonly guard: Guard
  /** Pages at a time, and twice as many where they are of several projects. */
  readonly concurrency: number
  readonly limits: PictureLimits & { readonly pageBytes: number }
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** For everything that is not loading. */
  readonly graceMs?: number
  /** For a page whose loading time is over to show that it is alive. */
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
  const closing = new AbortController()
  const inPlace = createPlaces(concurrency)
  const underWay = new Set<Promise<Shot>>()

  const shoot = async (wanted: PageToShoot, signal: AbortSignal): Promise<Shot> =>
    await browsers.use(async (browser, kill) => {
      const ended = new AbortController()
      const gate = await guard.openGate({
        maxBytes: limits.pageBytes,
        onTooLarge: () => ended.abort(tooLarge(wanted, limits.pageBytes)),
      })
      const deadline = setTimeout(() => ended.abort(tooSlow(wanted, graceMs)), wanted.loadingTime + graceMs)
      const forget = [signal, closing.signal].map((source) => abortWith(ended, source))
      const until = ended.signal
      const context = openContext(browser, gate, wanted)
      context.catch(() => {})
      try {
        return await Promise.race([
          whenAborted(until),
          context.then((opened) => shootPage(opened, gate, wanted, { limits, answerMs, signal: until })),
        ])
      } catch (error) {
        // What the browser says of its end is said better by who ended it.
        if (until.aborted) throw until.reason
        throw isGone(browser, error)
          ? new CaptureFailure('crashed', `${hostOf(wanted.url)} crashed the browser.`)
          : error
      } finally {
        clearTimeout(deadline)
        for (const each of forget) each()
        await Promise.all([gate.close(), closeOr(context, kill)])
      }
    })

  return {
    ready: () => browsers.ready(),
    async shoot(wanted, signal) {
      if (!isWebAddress(wanted.url)) throw noWebAddress(wanted)
      const shot = inPlace(wanted.projectId ?? '', async () => {
        signal.throwIfAborted()
        closing.signal.throwIfAborted()
        return await shoot(wanted, signal)
      })
      underWay.add(shot)
      return await shot.finally(() => underWay.delete(shot))
    },
    async close() {
      closing.abort(new Error('the camera is closed'))
      await browsers.close()
      await Promise.allSettled(underWay)
    },
  }
}

/** One that is still being opened is closed when it is there. */
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
 * Until the function it answers is called. Not AbortSignal.any: as long as one of its sources lives, whatever listens to
 * it does, too, and with it the whole page.
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

/** A page hears of the end of its browser before the browser does. */
function isGone(browser: Browser, error: unknown): boolean {
  return !browser.isConnected() || /browser has been closed/.test(String((error as Error).message))
}

function isWebAddress(url: string): boolean {
  return /^https?:$/.test(URL.parse(url)?.protocol ?? '')
}

function noWebAddress({ url }: PageToShoot): CaptureFailure {
  const { protocol = 'no scheme' } = URL.parse(url) ?? {}
  return new CaptureFailure('blocked', `Only http and https pages are captured, and this one has ${protocol}`)
}

function tooSlow({ url, loadingTime }: PageToShoot, graceMs: number): CaptureFailure {
  return new CaptureFailure(
    'timeout',
    `${hostOf(url)} kept the browser busy: there was no picture ${graceMs} ms after its loading time of ${loadingTime} ms.`,
  )
}

function tooLarge({ url }: PageToShoot, bytes: number): CaptureFailure {
  return new CaptureFailure('too_large', `${hostOf(url)} loads more than ${bytes} bytes (MAX_PAGE_BYTES).`)
}
