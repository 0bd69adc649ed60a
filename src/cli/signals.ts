import type { Logger } from 'pino'

/** Resolves at the first SIGTERM or SIGINT; a second one, of either kind, ends the process at once. */
export function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let came = false
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (came) process.exit(1)
        came = true
        resolve(signal)
      })
    }
  })
}

/** For long work that can be repeated: the first signal asks for an end, and says so without tearing a bar. */
export function abortOnSignal(interrupt: (write: () => void) => void): AbortSignal {
  const abortion = new AbortController()
  nextSignal().then(() => {
    abortion.abort()
    interrupt(() => process.stderr.write('Finishing the roots under way; once more stops at once.\n'))
  })
  return abortion.signal
}

/** More than SHUTDOWN_TIMEOUT: for what ends by itself at that very moment. */
const GRACE_MS = 1_000

/**
 * Ends the process, whatever does not end: a database that answers nothing, an upload that takes its time, a browser that hangs.
 * What was acknowledged is durable, and what was under way is taken over as after a crash.
 */
export function endInTime(shutdownMs: number, log: Pick<Logger, 'error'>): void {
  setTimeout(() => {
    log.error('not everything has ended within SHUTDOWN_TIMEOUT; the process ends all the same')
    process.exit(1)
  }, shutdownMs + GRACE_MS).unref()
}
