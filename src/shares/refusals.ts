import { AppError } from '../errors.ts'

/** The share that a client has used up. Also the label of a metric. */
export type Share = 'requests' | 'bodies' | 'streams' | 'pages' | 'connections'

/** Refuses requests beyond a share, and counts them. */
export class Refusals {
  readonly #counts = new Map<Share, number>()

  get counts(): ReadonlyMap<Share, number> {
    return this.#counts
  }

  count(share: Share): void {
    this.#counts.set(share, (this.#counts.get(share) ?? 0) + 1)
  }

  /** `detail` says what was used up. The client should ask again after `retryAfterS`. */
  refuse(share: Share, detail: string, retryAfterS: number): AppError {
    this.count(share)
    return new AppError('rate_limited', detail, { retryAfterS })
  }
}
