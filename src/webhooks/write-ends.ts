import { setImmediate as nextIteration } from 'node:timers/promises'
import type { Ended, EndedAttempt, EndOptions } from '../store/deliveries.ts'
import type { Store } from '../store/store.ts'
import type { InTurn } from '../store/webhooks.ts'

/** Writes the result of an attempt. Rejects if it could not be written. */
export type WriteEnd = (end: EndedAttempt) => Promise<Ended>

/** Ends that one transaction writes: some milliseconds with SQLite, which works in this thread. */
const AT_ONCE = 24

/** Attempts that end while others are being written are written together: a transaction costs more than a row. */
export function createWriteEnds(
  deliveries: Pick<Store['deliveries'], 'end'>,
  { clock, offIf, inTurn }: { clock: () => number; offIf: EndOptions['offIf']; inTurn: InTurn },
): WriteEnd {
  const waiting: (PromiseWithResolvers<Ended> & { readonly end: EndedAttempt })[] = []
  let isWriting = false
  const writeAll = async () => {
    isWriting = true
    while (waiting.length > 0) {
      await nextIteration()
      const some = waiting.splice(0, AT_ONCE)
      try {
        const ends = some.map(({ end }) => end)
        const ended = await inTurn(() => deliveries.end(ends, { now: clock(), offIf }))
        for (const [index, { resolve }] of some.entries()) resolve(ended[index] ?? false)
      } catch (error) {
        for (const { reject } of some) reject(error)
      }
    }
    isWriting = false
  }
  return (end) => {
    const one = { end, ...Promise.withResolvers<Ended>() }
    waiting.push(one)
    if (!isWriting) void writeAll()
    return one.promise
  }
}
