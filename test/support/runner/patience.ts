/** What a busy machine merely slows down takes less; what takes longer hangs. Less than a test's own deadline, so that it can be named. */
export const PATIENCE_MS = 120_000

/** Milliseconds that this thread has worked: a busy machine does not change it as it changes the time. */
export function workDone(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
