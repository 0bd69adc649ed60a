import { setTimeout as sleep } from 'node:timers/promises'
import type { Page, Request } from 'playwright-core'
import type { Seen } from '../contract/seen.ts'
import type { Gate } from '../egress/guard.ts'
import { STATUS_CODES } from '../node-http.ts'
import { CaptureFailure, type PageToShoot } from './camera.ts'
import { hostOf, navigationFailure } from './failures.ts'

const ERROR_PAGE = 'chrome-error:'
/** A script of a page that is left may go elsewhere at the same time. */
const INTERRUPTED = /interrupted by another navigation|ERR_ABORTED/
const REOPENINGS = 3
const LOOK_MS = 25

export type Visit = ReturnType<typeof observeVisit>

/** Records what became of the requests of a page. Call it before the page loads. */
export function observeVisit(page: Page, gate: Gate, wanted: PageToShoot) {
  const failed = new Set<Request>()
  /** The status of the last document that came. */
  let status = 0
  let document: Request | undefined
  /** Why the rest of the document will not come. */
  let broken: string | undefined
  /** The last document that was asked for, and why it did not come. */
  let last = { url: wanted.url, reason: '' }
  const isPage = (request: Request) => request.isNavigationRequest() && request.frame() === page.mainFrame()
  page.on('response', (response) => {
    const request = response.request()
    if (isPage(request)) {
      status = response.status()
      document = request
      broken = undefined
    } else if (response.status() >= 400) failed.add(request)
  })
  page.on('requestfailed', (request) => {
    const { errorText: reason = '' } = request.failure() ?? {}
    const aborted = /ERR_ABORTED/.test(reason)
    if (request === document && !aborted) {
      broken = reason
      failed.add(request)
      return
    }
    if (!isPage(request)) {
      // Requests that the page aborted itself did not fail.
      if (!aborted) failed.add(request)
      return
    }
    // This event may come late, for a document that the page has already left: that is not the failure.
    if (last.reason === '' || !aborted) last = { url: request.url(), reason }
  })
  const open = async (withinMs: number) => {
    await page.goto(wanted.url, { waitUntil: 'commit', timeout: withinMs })
  }
  const failureOf = (error: unknown, withinMs: number): CaptureFailure => {
    if ((error as Error).name !== 'TimeoutError') return navigationFailure(error, last.url, gate)
    const seen = gate.failureOf(last.url)
    return seen
      ? new CaptureFailure(seen.reason, seen.detail)
      : new CaptureFailure('timeout', `Nothing came from ${hostOf(last.url)} within ${withinMs} ms.`)
  }
  return {
    get status(): number {
      return status
    },
    get failedResources(): number {
      return failed.size
    },
    async navigate(): Promise<void> {
      const { loadingTime } = wanted
      await open(loadingTime).catch((error) => {
        throw failureOf(error, loadingTime)
      })
    },
    /** Opens the page once more. Resources that failed until now do not count as missing in its picture. */
    async reopen(withinMs: number): Promise<void> {
      failed.clear()
      for (let times = 1; ; times++) {
        try {
          return await open(withinMs)
        } catch (error) {
          if (times >= REOPENINGS || !INTERRUPTED.test((error as Error).message)) {
            throw failureOf(error, withinMs)
          }
        }
      }
    },
    /** Resolves when the rest of the document will not come: its connection ended, or its bytes cannot be read. */
    async whenBroken(signal: AbortSignal): Promise<void> {
      while (broken === undefined) await sleep(LOOK_MS, undefined, { signal })
      // Nothing of it came. The browser draws no page without a body.
      if (await page.evaluate(isEmpty)) throw navigationFailure(new Error(broken), page.url(), gate)
    },
    /** Throws if the page moved to an address that failed: then the window shows the browser's error page. */
    requirePage(): void {
      if (page.url().startsWith(ERROR_PAGE)) throw navigationFailure(new Error(last.reason), last.url, gate)
    },
    /** Whether this status is a failure for the request. */
    get isUnwanted(): boolean {
      return wanted.options.failOn === 'status' && status >= 400
    },
    statusFailure(seen: Seen): CaptureFailure {
      const words = [seen.status, STATUS_CODES[seen.status]].filter(Boolean).join(' ')
      return new CaptureFailure('status', `${hostOf(seen.url)} answered ${words}.`, seen)
    },
  }
}

/** Runs in the page. */
function isEmpty(): boolean {
  return !globalThis.document.body?.hasChildNodes()
}
