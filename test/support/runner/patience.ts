/** Enough time for a slow, busy machine; anything longer hangs. Shorter than the timeout of a test, so that the step can be named. */
export const PATIENCE_MS = 120_000

/** Milliseconds of processor time of this thread: a busy machine changes it less than the time on the clock. */
export function workDone(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
