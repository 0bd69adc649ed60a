import { setImmediate as nextIteration } from 'node:timers/promises'

/** SQLite runs in the thread that serves all requests. No request waits much longer than this for the work of another. */
const LONGEST_MS = 1

/** Runs one statement of long work, when the thread is free for it. */
export type RunYielding = <T>(look: () => T) => Promise<T>

/**
 * One queue for all long work. Together it takes at most LONGEST_MS of each iteration of the event loop, and small requests
 * come in between.
 */
export function createRunYielding(): RunYielding {
  const waiting: (() => void)[] = []
  let working = false
  const work = async () => {
    working = true
    while (waiting.length > 0) {
      const begun = performance.now()
      do {
        waiting.shift()?.()
        // The caller may add its next statement now.
        await undefined
      } while (waiting.length > 0 && performance.now() - begun < LONGEST_MS)
      await nextIteration()
    }
    working = false
  }
  return (look) =>
    new Promise((resolve, reject) => {
      waiting.push(() => {
        try {
          resolve(look())
        } catch (error) {
          reject(error)
        }
      })
      if (!working) void work()
    })
}
