import type { FastifyReply } from 'fastify'
import type { Server } from '../context.ts'

/** One for all: an error of its own for each would take longer than everything else that is done for it. */
const NOBODY_WAITS = new Error('the client has gone, or the service stops')

/** For answers that wait for something: tells when the client has gone, or the service is about to. */
export function whenOver(server: Server): (reply: FastifyReply) => AbortSignal {
  const waiting = new Set<AbortController>()
  let closing = false
  server.addHook('preClose', (done) => {
    closing = true
    for (const each of waiting) each.abort(NOBODY_WAITS)
    done()
  })
  return (reply) => {
    const over = new AbortController()
    // The client may have gone while its key or its root was looked for: nothing would tell it any more.
    if (closing || reply.raw.destroyed) {
      over.abort(NOBODY_WAITS)
      return over.signal
    }
    waiting.add(over)
    reply.raw.once('close', () => {
      waiting.delete(over)
      over.abort(NOBODY_WAITS)
    })
    return over.signal
  }
}
