/** The most of the time between two occurrences. */
const SHARE = 1 / 10

/**
 * How long after its time a schedule makes its root. Schedules with the same times are spread over a while, each of them
 * always at the same place: its id is random.
 */
export function spreadOf(scheduleId: string, { spreadMs, intervalMs }: Spread): number {
  const place = Number.parseInt(scheduleId.slice(0, 8), 16) / 2 ** 32
  return Math.floor(place * Math.min(spreadMs, intervalMs * SHARE))
}

export interface Spread {
  readonly spreadMs: number
  /** The time between two occurrences. */
  readonly intervalMs: number
}
