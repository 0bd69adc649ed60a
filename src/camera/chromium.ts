import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { BrowserContext } from 'playwright-core'
import type { Guard } from '../egress/guard.ts'
import { Browsers } from './browsers.ts'
import { type Camera, CaptureFailure, type PageToShoot, type Shot } from './camera.ts'
import { hostOf } from './failures.ts'
import type { FoundBrowser } from './find-browser.ts'
import { GRACE_MS, openContext, type PictureLimits, shootPage } from './shoot.ts'

/** A context that does not close by then is stuck, and its browser with it. */
const CLOSE_MS = 5_000

export interface CameraOptions {
  readonly find: () => Promise<FoundBrowser>
  readonly guard: Guard
  /** Pages at a time. */
  readonly concurrency: number
  readonly limits: PictureLimits & { readonly pageBytes: number }
  readonly log: Pick<Logger, 'warn'>
}

/** Chromium, driven by Playwright. It starts with the first page. */
export function createCamera({ find, guard, concurrency, limits, log }: CameraOptions): Camera {
  const browsers = new Browsers(find, log)
  const closing = new AbortController()
  const inTurn = takeTurns(concurrency)

  const shoot = async (wanted: PageToShoot, signal: AbortSignal): Promise<Shot> =>
    await browsers.use(async (browser, kill) => {
      const ended = new AbortController()
      const gate = await guard.openGate({
        maxBytes: limits.pageBytes,
        onTooLarge: () => ended.abort(tooLarge(wanted, limits.pageBytes)),
      })
      const deadline = setTimeout(() => ended.abort(tooSlow(wanted)), wanted.loadingTime + GRACE_MS)
      const forget = [signal, closing.signal].map((source) => abortWith(ended, source))
      const until = ended.signal
      let context: BrowserContext | undefined
      try {
        return await Promise.race([
          whenAborted(until),
          (async () => {
            context = await openContext(browser, gate, wanted)
            return await shootPage(context, gate, wanted, { limits, signal: until })
          })(),
        ])
      } catch (error) {
        // What the browser says of its end is said better by who ended it.
        if (until.aborted) throw until.reason
        throw browser.isConnected()
          ? error
          : new CaptureFailure('crashed', `${hostOf(wanted.url)} crashed the browser.`)
      } finally {
        clearTimeout(deadline)
        for (const each of forget) each()
        await Promise.all([gate.close(), context && closeOr(context, kill)])
      }
    })

  return {
    ready: () => browsers.ready(),
    shoot: (wanted, signal) =>
      inTurn(async () => {
        signal.throwIfAborted()
        return await shoot(wanted, signal)
      }),
    async close() {
      closing.abort(new Error('the camera is closed'))
      await browsers.close()
    },
  }
}

async function closeOr(context: BrowserContext, kill: () => Promise<void>): Promise<void> {
  const patience = new AbortController()
  const closed = context.close().then(
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

function tooSlow({ url, loadingTime }: PageToShoot): CaptureFailure {
  return new CaptureFailure(
    'timeout',
    `${hostOf(url)} kept the browser busy: there was no picture ${GRACE_MS} ms after its loading time of ${loadingTime} ms.`,
  )
}

function tooLarge({ url }: PageToShoot, bytes: number): CaptureFailure {
  return new CaptureFailure('too_large', `${hostOf(url)} loads more than ${bytes} bytes (MAX_PAGE_BYTES).`)
}

/** At most `limit` at a time, in the order they came. */
function takeTurns(limit: number) {
  let running = 0
  const waiting: (() => void)[] = []
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= limit) await new Promise<void>((resolve) => void waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
