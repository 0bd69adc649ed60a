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

/** Records what became of the requests of a page. Create it before the page loads. */
export class Visit {
  readonly #page: Page
  readonly #gate: Gate
  readonly #wanted: PageToShoot
  readonly #failed = new Set<Request>()
  /** The status of the last document that came. */
  #status = 0
  /** The last document that was asked for, and why it did not come. */
  #last: { url: string; reason: string }

  constructor(page: Page, gate: Gate, wanted: PageToShoot) {
    this.#page = page
    this.#gate = gate
    this.#wanted = wanted
    this.#last = { url: wanted.url, reason: '' }
    page.on('response', (response) => {
      const request = response.request()
      if (this.#isPage(request)) this.#status = response.status()
      else if (response.status() >= 400) this.#failed.add(request)
    })
    page.on('requestfailed', (request) => this.#onFailed(request))
  }

  get status(): number {
    return this.#status
  }

  /** The number of requests that failed. */
  get failedResources(): number {
    return this.#failed.size
  }

  async navigate(): Promise<void> {
    const { loadingTime } = this.#wanted
    await this.#open(loadingTime).catch((error) => {
      throw this.#failureOf(error, loadingTime)
    })
  }

  /** Opens the page once more. Resources that failed until now do not count as missing in its picture. */
  async reopen(withinMs: number): Promise<void> {
    this.#failed.clear()
    for (let times = 1; ; times++) {
      try {
        return await this.#open(withinMs)
      } catch (error) {
        if (times >= REOPENINGS || !INTERRUPTED.test((error as Error).message)) {
          throw this.#failureOf(error, withinMs)
        }
      }
    }
  }

  /** Throws if the page moved to an address that failed: then the window shows the browser's error page. */
  requirePage(): void {
    if (this.#page.url().startsWith(ERROR_PAGE)) throw this.lastFailure()
  }

  /** Why the document that the page moved to did not come. */
  lastFailure(): CaptureFailure {
    return navigationFailure(new Error(this.#last.reason), this.#last.url, this.#gate)
  }

  /** Whether this status is a failure for the request. */
  get isUnwanted(): boolean {
    return this.#wanted.options.failOn === 'status' && this.#status >= 400
  }

  statusFailure(seen: Seen): CaptureFailure {
    const words = [seen.status, STATUS_CODES[seen.status]].filter(Boolean).join(' ')
    return new CaptureFailure('status', `${hostOf(seen.url)} answered ${words}.`, seen)
  }

  async #open(withinMs: number): Promise<void> {
    await this.#page.goto(this.#wanted.url, { waitUntil: 'commit', timeout: withinMs })
  }

  #failureOf(error: unknown, withinMs: number): CaptureFailure {
    if ((error as Error).name !== 'TimeoutError') return navigationFailure(error, this.#last.url, this.#gate)
    const seen = this.#gate.failureOf(this.#last.url)
    return seen
      ? new CaptureFailure(seen.reason, seen.detail)
      : new CaptureFailure('timeout', `Nothing came from ${hostOf(this.#last.url)} within ${withinMs} ms.`)
  }

  #isPage(request: Request): boolean {
    return request.isNavigationRequest() && request.frame() === this.#page.mainFrame()
  }

  #onFailed(request: Request): void {
    const { errorText = '' } = request.failure() ?? {}
    const aborted = /ERR_ABORTED/.test(errorText)
    if (!this.#isPage(request)) {
      // Requests that the page aborted itself did not fail.
      if (!aborted) this.#failed.add(request)
      return
    }
    // This event may come late, for a document that the page has already left: that is not the failure.
    if (this.#last.reason !== '' && aborted) return
    this.#last = { url: request.url(), reason: errorText }
  }
}
