import type { InTurn } from '../shares/fair-turns.ts'
import type { Piece } from './pieces.ts'
import type { IsGone } from './search.ts'

/** An answer whose headers are known. */
export interface Answer {
  /**
   * Of the data when it was looked up. The first piece of the body may have a newer one. Undefined if no revision covers the
   * answer: then it must not be kept.
   */
  readonly etag?: string | undefined
  /** Where the next list page begins, if there is one. */
  readonly nextCursor?: string | undefined
  /** Its pieces may have a megabyte each. They are sent in slices, and keep a distance. */
  readonly isPaced?: true
  /** The body: whole, if it is there, or piece by piece. After an error the answer must not be finished. */
  body(): Buffer | AsyncGenerator<Piece>
}

export interface Asked {
  readonly now: number
  /** The origin at which the client reaches the service. Addresses begin with it. */
  readonly origin: string
}

/** For long work. It is done in turns, and stops when the client has gone. */
export interface AskedForMuch extends Asked {
  readonly inTurn: InTurn
  readonly isGone: IsGone
}
