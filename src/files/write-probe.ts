/** While writing works it is tried no more often than this. */
const EVERY_MS = 5_000

/**
 * Finds out whether a storage can be written. It tries when somebody asks: now and then while all is well, each time while
 * something is wrong. So it notices by itself when the cause is gone.
 */
export class WriteProbe {
  readonly #attempt: (failed: boolean) => Promise<void>
  #triedAt = Number.NEGATIVE_INFINITY
  #failed = false
  #trying: Promise<void> | undefined

  /** `attempt` throws if nothing can be written. It is told whether the last write or the last attempt failed. */
  constructor(attempt: (failed: boolean) => Promise<void>) {
    this.#attempt = attempt
  }

  /** Whether a write or an attempt has failed, and none has succeeded since. */
  get failed(): boolean {
    return this.#failed
  }

  /** A write has failed: the next check tries again. */
  fail(): void {
    this.#failed = true
  }

  /** Throws what `attempt` throws. */
  async check(): Promise<void> {
    if (!this.#failed && performance.now() - this.#triedAt < EVERY_MS) return
    this.#trying ??= this.#try().finally(() => {
      this.#trying = undefined
    })
    await this.#trying
  }

  async #try(): Promise<void> {
    const before = this.#failed
    this.#failed = false
    try {
      await this.#attempt(before)
      this.#triedAt = performance.now()
    } catch (error) {
      this.#failed = true
      throw error
    }
  }
}
