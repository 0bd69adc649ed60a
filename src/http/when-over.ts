import type { FastifyReply } from 'fastify'
import type { Server } from './context.ts'

/** For answers that wait for something: tells when the client has gone, or the service is about to. */
export function whenOver(server: Server): (reply: FastifyReply) => AbortSignal {
  const waiting = new Set<AbortController>()
  let closing = false
  server.addHook('preClose', (done) => {
    closing = true
    for (const each of waiting) each.abort()
    done()
  })
  return (reply) => {
    const over = new AbortController()
    // The client may have gone while its key or its root was looked for: nothing would tell it any more.
    if (closing || reply.raw.destroyed) {
      over.abort()
      return over.signal
    }
    waiting.add(over)
    reply.raw.once('close', () => {
      waiting.delete(over)
      over.abort()
    })
    return over.signal
  }
}
