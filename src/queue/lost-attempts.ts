import type { UnderWay } from '../store/captures.ts'

interface Seen {
  readonly lease: number
  /** Since when it has not changed, as far as this process has seen. */
  readonly since: number
}

/**
 * Finds the attempts whose processes have died: nobody renews their leases. How long a lease has not changed is told by this
 * process's own monotonic time. What clocks say does not matter: they jump, and differ between machines.
 */
export class LostAttempts {
  readonly #lostMs: number
  #seen = new Map<string, Seen>()
  #looked = Number.NEGATIVE_INFINITY

  /** `lostMs`: a lease that has not changed for so long is a dead process's. */
  constructor(lostMs: number) {
    this.#lostMs = lostMs
  }

  /** To be called again and again, with all that is under way elsewhere. Answers what is lost. */
  look(underWay: readonly UnderWay[], now: number): UnderWay[] {
    // After a longer gap nothing is known: this process stood still, or the database was away, and then nobody could renew.
    const gap = now - this.#looked > this.#lostMs / 2
    this.#looked = now
    const before = gap ? new Map<string, Seen>() : this.#seen
    this.#seen = new Map(
      underWay.map(({ uuid, lease }) => {
        const seen = before.get(uuid)
        return [uuid, seen?.lease === lease ? seen : { lease, since: now }]
      }),
    )
    return underWay.filter(({ uuid }) => now - (this.#seen.get(uuid)?.since ?? now) >= this.#lostMs)
  }
}
