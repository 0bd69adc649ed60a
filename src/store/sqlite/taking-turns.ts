import { setImmediate as nextTurn } from 'node:timers/promises'

/** SQLite answers in the thread that serves all requests: none of them waits much longer than this for another's. */
const LONGEST_MS = 1

/** Runs one statement of many when it is its turn. */
export type InTurn = <T>(look: () => T) => Promise<T>

/**
 * One line for all who look through much: however many they are, together they take no more of each turn of the event
 * loop than one of them would.
 */
export function takingTurns(): InTurn {
  const waiting: (() => void)[] = []
  let working = false
  const work = async () => {
    working = true
    while (waiting.length > 0) {
      const begun = performance.now()
      do {
        waiting.shift()?.()
        // Whoever was answered may want to go on.
        await undefined
      } while (waiting.length > 0 && performance.now() - begun < LONGEST_MS)
      await nextTurn()
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
