import { AppError } from '../errors.ts'

/** What a client has used up when it is refused; the label of a metric. */
export type Share = 'requests' | 'bodies' | 'streams' | 'pages' | 'connections'

/** Refuses what goes beyond a share, and counts that. */
export class Refusals {
  readonly #counts = new Map<Share, number>()

  get counts(): ReadonlyMap<Share, number> {
    return this.#counts
  }

  count(share: Share): void {
    this.#counts.set(share, (this.#counts.get(share) ?? 0) + 1)
  }

  /** `detail` names what was used up; it is worth asking again after `retryAfterS`. */
  refuse(share: Share, detail: string, retryAfterS: number): AppError {
    this.count(share)
    return new AppError('rate_limited', detail, { retryAfterS })
  }
}
