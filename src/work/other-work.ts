import { setImmediate as endOfIteration } from 'node:timers/promises'

// One event loop is shared by long work, which is cut into pieces, and by small requests, whose look-ups are short. Between two pieces,
// everything that waits is done first.

/** The most iterations in a row that are for look-ups alone, so that long work always goes on. */
export const MOST_LET_AHEAD = 4

let awaited = 0

/** A small request waits for a look-up that is about to begin. Call what is returned when it begins. */
export function awaitLookUp(): () => void {
  awaited++
  return () => {
    awaited--
  }
}

export function isLookingUp(): boolean {
  return awaited > 0
}

/**
 * Lets others use the event loop before a long piece of work goes on. At least twice: what an answer of a socket or a file began
 * would go on in the same iteration after the first, before any other socket is looked at.
 */
export async function otherWork(): Promise<void> {
  await endOfIteration()
  for (let letAhead = 0; letAhead === 0 || (isLookingUp() && letAhead < MOST_LET_AHEAD); letAhead++)
    await endOfIteration()
}
