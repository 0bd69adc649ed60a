import type { FoundBrowser } from '../browser/browser.ts'
import type { PageOptions } from '../contract/capture-options.ts'
import type { Seen } from '../contract/seen.ts'
import type { CaptureReason } from '../contract/status.ts'

/** The browser that takes the pictures. */
export interface RunningBrowser extends Pick<FoundBrowser, 'path' | 'kind' | 'origin'> {
  readonly version: string
  readonly sandboxed: boolean
}

export interface PageToShoot {
  readonly url: string
  readonly options: PageOptions
  /** The longest it may take to settle. */
  readonly loadingTime: number
  /** Whose it is: those that have none being taken wait for nobody. */
  readonly projectId?: string
}

export interface Shot {
  /** PNG. */
  readonly bytes: Buffer
  readonly seen: Seen
}

/** A page that could not be captured: nothing that trying again at once would change, but for `crashed`. */
export class CaptureFailure extends Error {
  override readonly name = 'CaptureFailure'
  readonly reason: CaptureReason
  /** What the page was like, where it came and was not wanted as it is. */
  readonly seen: Seen | undefined

  constructor(reason: CaptureReason, detail: string, seen?: Seen) {
    super(detail)
    this.reason = reason
    this.seen = seen
  }
}

export interface Camera {
  /** Starts the browser where none runs. Throws AppError `no_browser`, with what to do about it. */
  ready(): Promise<RunningBrowser>
  /**
   * Takes the picture of a page once it has settled, or when its loading time is over. Waits while as many as may be
   * are being taken, unless its project has none of them. Throws CaptureFailure, AppError `no_browser`, or the signal's reason.
   */
  shoot(page: PageToShoot, signal: AbortSignal): Promise<Shot>
  /** Ends the browser, with whatever it is at. */
  close(): Promise<void>
}
