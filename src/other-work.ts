import { setImmediate as endOfIteration } from 'node:timers/promises'

/**
 * Lets others use the event loop before a long piece of work goes on. Twice: what an answer of a socket or a file began would go on in
 * the same iteration after the first, before any other socket is looked at.
 */
export async function otherWork(): Promise<void> {
  await endOfIteration()
  await endOfIteration()
}
