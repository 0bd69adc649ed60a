import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { Bag } from '../../shares/bag.ts'
import type { Server } from '../context.ts'

/** One error for all: making one for each answer would cost more than the rest of the work. */
export const NOBODY_WAITS = new Error('the answer is over, or the client has gone, or the service stops')

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

/** For answers that wait. Aborted when the client has gone, or the service stops. */
export function whenOver(server: Server): (reply: FastifyReply) => AbortSignal {
  const waiting = new Bag<AbortController>()
  let closing = false
  server.addHook('preClose', (done) => {
    closing = true
    for (const each of waiting) each.abort(NOBODY_WAITS)
    done()
  })
  return (reply) => {
    const over = new AbortController()
    // The client may have gone while its key or its root was looked up. No event follows then.
    if (closing || reply.raw.destroyed) {
      over.abort(NOBODY_WAITS)
      return over.signal
    }
    const placed = waiting.add(over)
    reply.raw.once('close', () => {
      waiting.remove(placed)
      over.abort(NOBODY_WAITS)
    })
    return over.signal
  }
}
