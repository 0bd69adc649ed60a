import type { Connections } from './connections.ts'
import type { HttpContext, Server } from './context.ts'

/** How often it is looked whether one has taken too long, at the latest. */
const LOOK_MS = 5_000

/** Ends an answer that takes too long in all, however steadily a slow reader sips at it. */
export function limitResponseTime(server: Server, connections: Connections, { config }: HttpContext): void {
  const { responseMs } = config.limits
  // One timer for all of them: one for each would cost every request more than the rest of its bookkeeping.
  const look = () => {
    const latest = performance.now() - responseMs
    for (const [reply, began] of connections.answers) {
      // All others began later.
      if (began > latest) return
      server.log.warn({ reqId: reply.request.id }, 'the answer was not read in time; closing the connection')
      reply.raw.destroy()
    }
  }
  const timer = setInterval(look, Math.min(LOOK_MS, responseMs / 4)).unref()
  server.addHook('onClose', (_server, done) => {
    clearInterval(timer)
    done()
  })
}
