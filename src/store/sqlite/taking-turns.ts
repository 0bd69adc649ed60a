import { setImmediate as nextTurn } from 'node:timers/promises'

/** SQLite answers in the thread that serves all requests: none of them waits much longer than this for another's. */
const LONGEST_MS = 5

/** Call it between statements: it lets others in where they have waited for long enough. */
export function takingTurns(): () => Promise<void> | undefined {
  let begun = performance.now()
  return () => {
    if (performance.now() - begun < LONGEST_MS) return undefined
    return nextTurn().then(() => {
      begun = performance.now()
    })
  }
}
