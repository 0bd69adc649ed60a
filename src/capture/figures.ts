/** Upper ends of the buckets, in seconds. */
export const CAPTURE_BUCKETS = [0.5, 1, 2, 5, 10, 20, 60, 120]

export interface Times {
  /** How many are in each bucket, and beyond the last. */
  readonly counts: number[]
  sum: number
}

/** The captures of this process since it started, in numbers. */
export class CaptureFigures {
  /** By outcome: `done`, or the reason of the failure. */
  readonly times = new Map<string, Times>()
  /** Bytes of pictures and previews. */
  storedBytes = 0
  underWay = 0
  /** When a capture last began or ended. At first, when the process started. */
  lastActive: number
  readonly #clock: () => number

  constructor(clock: () => number) {
    this.#clock = clock
    this.lastActive = clock()
  }

  begin(): void {
    this.underWay++
    this.lastActive = this.#clock()
  }

  /** Called at every end, also if another process takes over. */
  leave(): void {
    this.underWay--
    this.lastActive = this.#clock()
  }

  end(outcome: string, seconds: number): void {
    const times = this.times.get(outcome) ?? { counts: new Array(CAPTURE_BUCKETS.length + 1).fill(0), sum: 0 }
    this.times.set(outcome, times)
    const bucket = CAPTURE_BUCKETS.filter((end) => end < seconds).length
    times.counts[bucket] = (times.counts[bucket] ?? 0) + 1
    times.sum += seconds
  }
}
