/** While writing works it is tried no more often than this. */
const EVERY_MS = 5_000

/**
 * Finds out whether a storage can be written. It tries when somebody asks: now and then while all is well, each time while
 * something is wrong. So it notices by itself when the cause is gone. `attempt` throws if nothing can be written. It is told whether the
 * last write or the last attempt failed.
 */
export function createWriteProbe(attempt: (failed: boolean) => Promise<void>) {
  let triedAt = Number.NEGATIVE_INFINITY
  let failed = false
  let trying: Promise<void> | undefined
  const tryNow = async () => {
    const before = failed
    failed = false
    try {
      await attempt(before)
      triedAt = performance.now()
    } catch (error) {
      failed = true
      throw error
    }
  }
  return {
    /** Whether a write or an attempt has failed, and none has succeeded since. */
    hasFailed: () => failed,
    /** A write has failed: the next check tries again. */
    fail(): void {
      failed = true
    },
    /** Throws what `attempt` throws. */
    async check(): Promise<void> {
      if (!failed && performance.now() - triedAt < EVERY_MS) return
      trying ??= tryNow().finally(() => {
        trying = undefined
      })
      await trying
    },
  }
}
