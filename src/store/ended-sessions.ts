/** A session that somebody has signed out of. */
export interface EndedSession {
  /** A hash of its id. */
  readonly session: string
  /** The key that it began with, so that nobody can end more than some. A hash. */
  readonly owner: string
}

/** `Store.findKey` finds no key for a session that is among these. Errors are those of `Store`. */
export interface EndedSessions {
  /** Durable when it returns. Throws `rate_limited` if its owner has `most` already. */
  end(session: EndedSession, limit: { readonly most: number }): Promise<void>
  /**
   * Counts the days, and forgets up to `limit` sessions that ended more than `days` ago. A day counts when a call comes at
   * least a day after the call that counted the day before: a clock that jumps by a year counts as one day. Returns how many were
   * forgotten.
   */
  forget(options: { readonly now: number; readonly days: number; readonly limit: number }): Promise<number>
}
