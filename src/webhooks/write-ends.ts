import { setImmediate as nextIteration } from 'node:timers/promises'
import type { Deliveries, Ended, EndedAttempt, EndOptions } from '../store/deliveries.ts'
import type { InTurn } from '../store/webhooks.ts'

/** Writes the result of an attempt. Rejects if it could not be written. */
export type WriteEnd = (end: EndedAttempt) => Promise<Ended>

/** Ends that one transaction writes: some milliseconds with SQLite, which works in this thread. */
const AT_ONCE = 24

interface Waiting extends PromiseWithResolvers<Ended> {
  readonly end: EndedAttempt
}

/** Attempts that end while others are being written are written together: a transaction costs more than a row. */
export function createWriteEnds(
  deliveries: Pick<Deliveries, 'end'>,
  { clock, offIf, inTurn }: { clock: () => number; offIf: EndOptions['offIf']; inTurn: InTurn },
): WriteEnd {
  const waiting: Waiting[] = []
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
