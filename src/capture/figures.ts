const CAPTURE_BUCKETS = [0.5, 1, 2, 5, 10, 20, 60, 120]

/** Times, counted by their length. */
export class Times {
  /** How many are in each bucket, and beyond the last. */
  readonly counts: number[]
  sum = 0
  /** The upper ends of the buckets, in seconds. */
  readonly ends: readonly number[]

  constructor(ends: readonly number[]) {
    this.ends = ends
    this.counts = new Array(ends.length + 1).fill(0)
  }

  add(seconds: number): void {
    const found = this.ends.findIndex((end) => seconds <= end)
    const index = found < 0 ? this.ends.length : found
    this.counts[index] = (this.counts[index] ?? 0) + 1
    this.sum += seconds
  }
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
    const times = this.times.get(outcome) ?? new Times(CAPTURE_BUCKETS)
    this.times.set(outcome, times)
    times.add(seconds)
  }
}
