import type { Logger } from 'pino'
import { say } from './say.ts'

/** Resolves at the first SIGTERM or SIGINT. The second signal ends the process at once. */
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

/** For long work that can be repeated: the first signal aborts it, with a message that does not break the progress bar. */
export function abortOnSignal(interrupt: (write: () => void) => void): AbortSignal {
  const abortion = new AbortController()
  nextSignal().then(() => {
    abortion.abort()
    interrupt(() => say('Finishing the current roots. Press Ctrl+C again to stop at once.'))
  })
  return abortion.signal
}

/** Added to SHUTDOWN_TIMEOUT, for things that end exactly then. */
const GRACE_MS = 1_000

/** Ends the process even if something hangs. Captures under way are taken over as after a crash. */
export function endInTime(shutdownMs: number, log: Pick<Logger, 'error'>): void {
  setTimeout(() => {
    log.error('not everything has ended within SHUTDOWN_TIMEOUT; the process ends anyway')
    process.exit(1)
  }, shutdownMs + GRACE_MS).unref()
}

/** 0: done. 1: failed or incomplete. 2: a mistake in the command or the settings. */
export type ExitCode = 0 | 1 | 2

/** For a command that returns its exit code. */
export function exitWith<Given extends unknown[]>(command: (...given: Given) => Promise<ExitCode>) {
  return async (...given: Given): Promise<void> => {
    process.exitCode = await command(...given)
  }
}
