import { whenOver } from './connections.ts'
import type { HttpContext, Server } from './context.ts'

/** Ends an answer that takes too long in all, however steadily a slow reader sips at it. */
export function limitResponseTime(server: Server, { config }: HttpContext): void {
  server.addHook('onRequest', (request, reply, done) => {
    const timer = setTimeout(() => {
      request.log.warn('the answer was not read in time; closing the connection')
      reply.raw.destroy()
    }, config.limits.responseMs)
    timer.unref()
    whenOver(reply, () => clearTimeout(timer))
    done()
  })
}
