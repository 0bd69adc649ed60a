import type { UnderWay } from '../../store/captures.ts'

interface SeenLease {
  readonly lease: number
  /** Since when this process has seen no change. */
  readonly since: number
}

/**
 * Finds the attempts whose processes have died: their leases are not renewed. The time without a change is measured by the
 * monotonic clock of this process. Other clocks are not used: they jump, and differ between machines.
 */
export class LostAttempts {
  readonly #lostMs: number
  #seen = new Map<string, SeenLease>()
  #looked = Number.NEGATIVE_INFINITY

  /** `lostMs`: a lease that has not changed for so long belongs to a dead process. */
  constructor(lostMs: number) {
    this.#lostMs = lostMs
  }

  /** Must be called regularly, with all attempts under way in other processes. Returns those that are lost. */
  look(underWay: readonly UnderWay[], now: number): UnderWay[] {
    // After a long gap, leases prove nothing: this process stood still, or no process could reach the database to renew.
    const gap = now - this.#looked > this.#lostMs / 2
    this.#looked = now
    const before = gap ? new Map<string, SeenLease>() : this.#seen
    this.#seen = new Map(
      underWay.map(({ uuid, lease }) => {
        const seen = before.get(uuid)
        return [uuid, seen?.lease === lease ? seen : { lease, since: now }]
      }),
    )
    return underWay.filter(({ uuid }) => now - (this.#seen.get(uuid)?.since ?? now) >= this.#lostMs)
  }
}
