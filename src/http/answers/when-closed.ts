import type { ServerResponse } from 'node:http'

/** One error for all: making one for each answer would cost more than the rest of the work. */
export const NOBODY_WAITS = new Error('the answer is over, or the client has gone')

/** Signals that are aborted in one iteration of the event loop: about a millisecond with all that follows. */
const AT_ONCE = 16

/** In the order of their ends. */
const ended: AbortController[] = []

/**
 * Aborted when the answer is over, or the client has gone. A client may close hundreds of connections at once: their
 * signals are aborted a few at a time, so that nobody else waits for all of them.
 */
export function whenClosed(response: ServerResponse): AbortSignal {
  const over = new AbortController()
  if (response.destroyed) over.abort(NOBODY_WAITS)
  else {
    response.once('close', () => {
      if (ended.push(over) === 1) setImmediate(abortSome)
    })
  }
  return over.signal
}

function abortSome(): void {
  for (const over of ended.splice(0, AT_ONCE)) over.abort(NOBODY_WAITS)
  if (ended.length > 0) setImmediate(abortSome)
}
