import type { Logger } from 'pino'
import type { Browser, BrowserContext } from 'playwright-core'
import { hasSecrets } from '../contract/options/secrets.ts'
import { scaleOf } from '../contract/picture-sizes.ts'
import type { Gate, Guard } from '../egress/guard.ts'
import type { FoundBrowser } from './browser/browser.ts'
import { type Browsers, createBrowsers } from './browsers.ts'
import { type Camera, CaptureFailure, type PageToShoot, type Shot } from './camera.ts'
import { Deadline, GRACE_MS } from './deadline.ts'
import { type PictureLimits, pictureOf } from './expose.ts'
import { hostOf } from './failures.ts'
import { COOKIES_STAY, ISOLATED, NO_BYPASS } from './launch.ts'
import { before } from './patience.ts'
import { ANSWER_MS, shootPage } from './shoot.ts'
import { waitsOf } from './steps/steps.ts'
import { visitorOf } from './visitor.ts'
import { isLarge, windowOf } from './window.ts'

/** If a context does not close within this time, its browser hangs. */
const CLOSE_MS = 5_000

/** Beside secrets, a page may load less than `MAX_PAGE_BYTES` by up to this share. */
const VAGUE = 0.02

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
  const kinds = new Map<string, Browsers>()
  const browsersOf = (more: readonly string[], isForLarge = false): Browsers => {
    const kind = `${more.join(' ')} ${isForLarge}`
    const browsers = kinds.get(kind) ?? createBrowsers(find, log, more)
    kinds.set(kind, browsers)
    return browsers
  }
  const closing = new AbortController()
  const inSlot = createSlots(concurrency)
  const underWay = new Set<Promise<Shot>>()
  const browsersFor = ({ options }: PageToShoot): Browsers => {
    const more = options.cookies ? COOKIES_STAY : hasSecrets(options) ? ISOLATED : []
    // All pages of a browser are put together by one of its processes. Pages of others must not wait there for very large ones.
    return browsersOf(more, isLarge(pictureOf(windowOf(options), limits)))
  }

  const shoot = async (wanted: PageToShoot, signal: AbortSignal): Promise<Shot> =>
    await browsersFor(wanted).use(async (browser, kill) => {
      const ended = new AbortController()
      const gate = await guard.openGate({
        maxBytes: mostBytes(wanted, limits.pageBytes),
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
    ready: () => browsersOf([]).ready(),
    async shoot(wanted, signal) {
      requireWebAddress(wanted.url)
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
      await Promise.all([...kinds.values()].map((each) => each.close()))
      await Promise.allSettled(underWay)
    },
  }
}

/** A context that is still being opened is closed as soon as it is open. */
async function closeOr(context: Promise<BrowserContext>, kill: () => Promise<void>): Promise<void> {
  const closing = () => Promise.allSettled([context.then((opened) => opened.close())])
  if (!(await before(performance.now() + CLOSE_MS, closing))) await kill()
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

function requireWebAddress(url: string): void {
  const { protocol = 'no scheme' } = URL.parse(url) ?? {}
  if (/^https?:$/.test(protocol)) return
  throw new CaptureFailure(
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

/** Beside secrets not exactly: a frame of another site could load so much that the length of what the page repeats of them decides. */
function mostBytes({ options }: PageToShoot, pageBytes: number): number {
  return hasSecrets(options) ? Math.round(pageBytes * (1 - Math.random() * VAGUE)) : pageBytes
}

function tooLarge({ url }: PageToShoot, bytes: number): CaptureFailure {
  return new CaptureFailure('too_large', `${hostOf(url)} loads more than ${bytes} bytes (MAX_PAGE_BYTES).`)
}

/** Opens a new context for one page. The caller closes it and limits the time. */
export async function openContext(
  browser: Browser,
  gate: Gate,
  { options }: PageToShoot,
): Promise<BrowserContext> {
  const { width, height, colorScheme, timezone } = options
  const { mobile, touch, screen, userAgent, locale } = visitorOf(options)
  return await browser.newContext({
    viewport: { width, height },
    screen,
    deviceScaleFactor: scaleOf(options),
    isMobile: mobile,
    hasTouch: touch,
    ...(userAgent !== undefined && { userAgent }),
    ...(colorScheme && { colorScheme }),
    ...(options.reducedMotion && { reducedMotion: 'reduce' }),
    locale,
    ...(timezone !== undefined && { timezoneId: spellTimezone(timezone) }),
    proxy: { server: gate.proxyUrl, bypass: NO_BYPASS },
    acceptDownloads: false,
    serviceWorkers: 'block',
  })
}

/** The contract takes a name in upper or lower case, the browser only as it is written in the database of time zones. */
function spellTimezone(name: string): string {
  return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
}

/**
 * Runs at most `slots` tasks at a time, in the order in which they came. As many further slots are for owners that have no
 * task running: the first task of an owner does not wait for another owner's tasks.
 */
export function createSlots(slots: number) {
  const waiting: { owner: string; enter: () => void }[] = []
  /** The owner of each running task. */
  const inside: string[] = []
  const mayEnter = (owner: string) =>
    inside.length < slots || (inside.length < 2 * slots && !inside.includes(owner))
  const leave = (owner: string) => {
    inside.splice(inside.indexOf(owner), 1)
    // This may start two tasks: one in the free slot, and the first task of the owner that has none left.
    for (let index = 0; index < waiting.length; ) {
      const { owner, enter } = waiting[index] as (typeof waiting)[number]
      if (!mayEnter(owner)) index++
      else {
        waiting.splice(index, 1)
        inside.push(owner)
        enter()
      }
    }
  }
  return async <T>(owner: string, task: () => Promise<T>): Promise<T> => {
    if (mayEnter(owner)) inside.push(owner)
    else await new Promise<void>((enter) => waiting.push({ owner, enter }))
    try {
      return await task()
    } finally {
      leave(owner)
    }
  }
}
