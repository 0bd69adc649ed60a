import { STATUS_CODES } from 'node:http'
import type { Page, Request } from 'playwright-core'
import type { Seen } from '../contract/seen.ts'
import type { Gate } from '../egress/guard.ts'
import { CaptureFailure, type PageToShoot } from './camera.ts'
import { hostOf, navigationFailure } from './failures.ts'

/** What became of what a page asked for. Begin before the page does. */
export class Visit {
  readonly #page: Page
  readonly #gate: Gate
  readonly #wanted: PageToShoot
  readonly #failed = new Set<Request>()
  /** Of the last page that came. */
  #status = 0
  /** What was asked for last, and why it did not come. */
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

  /** How much of what the page asked for did not come. */
  get failedResources(): number {
    return this.#failed.size
  }

  async navigate(): Promise<void> {
    const { url, loadingTime } = this.#wanted
    try {
      await this.#page.goto(url, { waitUntil: 'commit', timeout: loadingTime })
    } catch (error) {
      if ((error as Error).name === 'TimeoutError') {
        const seen = this.#gate.failureOf(this.#last.url)
        throw seen
          ? new CaptureFailure(seen.reason, seen.detail)
          : new CaptureFailure(
              'timeout',
              `Nothing came from ${hostOf(this.#last.url)} within ${loadingTime} ms.`,
            )
      }
      throw navigationFailure(error, this.#last.url, this.#gate)
    }
  }

  /** Why the page that it went on to by itself did not come. */
  lastFailure(): CaptureFailure {
    return navigationFailure(new Error(this.#last.reason), this.#last.url, this.#gate)
  }

  /** Whether the request asked for such a page to be a failure. */
  get isUnwanted(): boolean {
    return this.#wanted.options.failOn === 'status' && this.#status >= 400
  }

  statusFailure(seen: Seen): CaptureFailure {
    const words = [seen.status, STATUS_CODES[seen.status]].filter(Boolean).join(' ')
    return new CaptureFailure('status', `${hostOf(seen.url)} answered ${words}.`, seen)
  }

  #isPage(request: Request): boolean {
    return request.isNavigationRequest() && request.frame() === this.#page.mainFrame()
  }

  #onFailed(request: Request): void {
    const { errorText = '' } = request.failure() ?? {}
    const aborted = /ERR_ABORTED/.test(errorText)
    if (!this.#isPage(request)) {
      // What a page calls off by itself it does not miss.
      if (!aborted) this.#failed.add(request)
      return
    }
    // A page that is left before it is whole is told of late, and is not what failed.
    if (this.#last.reason !== '' && aborted) return
    this.#last = { url: request.url(), reason: errorText }
  }
}
