import type { FastifyReply } from 'fastify'
import { Bag } from '../../shares/bag.ts'
import type { Server } from '../context.ts'

/** One error for all: making one for each answer would cost more than the rest of the work. */
const NOBODY_WAITS = new Error('the client has gone, or the service stops')

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
