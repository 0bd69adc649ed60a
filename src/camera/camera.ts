import type { PageOptions } from '../contract/capture-options.ts'
import type { Seen } from '../contract/seen.ts'
import type { CaptureReason } from '../contract/status.ts'
import type { FoundBrowser } from './browser/browser.ts'

export interface RunningBrowser extends Pick<FoundBrowser, 'path' | 'kind' | 'origin'> {
  readonly version: string
  readonly sandboxed: boolean
}

export interface PageToShoot {
  readonly url: string
  readonly options: PageOptions
  /** The longest time it may take to come to rest. */
  readonly loadingTime: number
  /** The project of the page. A project without a page in the camera waits for no other project. */
  readonly projectId?: string
}

export interface Shot {
  /** PNG. */
  readonly bytes: Buffer
  readonly seen: Seen
}

/** A page could not be captured. Trying again would not help, except for `crashed`. */
export class CaptureFailure extends Error {
  override readonly name = 'CaptureFailure'
  readonly reason: CaptureReason
  /** What was seen of the page, if it came but its status or a step is a failure. */
  readonly seen: Seen | undefined

  constructor(reason: CaptureReason, detail: string, seen?: Seen) {
    super(detail)
    this.reason = reason
    this.seen = seen
  }
}

export interface Camera {
  /** Starts the browser if none runs. Throws AppError `no_browser`, which says what to do. */
  ready(): Promise<RunningBrowser>
  /**
   * Takes the picture of a page when it is at rest, or when its loading time is over. Waits for a slot first.
   * Throws CaptureFailure, AppError `no_browser`, or the signal's reason.
   */
  shoot(page: PageToShoot, signal: AbortSignal): Promise<Shot>
  /** Ends the browser and all captures in it. */
  close(): Promise<void>
}
