import { setImmediate as nextIteration } from 'node:timers/promises'
import type { HttpContext, Server } from '../context.ts'
import type { Connections } from './connections.ts'

/** How often it is looked whether one has taken too long, at the latest. */
const LOOK_MS = 5_000
/** Before anything else has a turn. */
const LOOKED_AT_ONCE = 500

/** Ends an answer that takes too long in all, however steadily a slow reader sips at it. */
export function limitResponseTime(server: Server, connections: Connections, { config }: HttpContext): void {
  const { responseMs } = config.limits
  // One timer for all of them: one for each would cost every request more than the rest of its bookkeeping.
  const look = async () => {
    let looked = 0
    for (const reply of connections.answers()) {
      if (++looked % LOOKED_AT_ONCE === 0) await nextIteration()
      if (reply.elapsedTime < responseMs || reply.raw.destroyed) continue
      server.log.warn({ reqId: reply.request.id }, 'the answer was not read in time; closing the connection')
      reply.raw.destroy()
    }
  }
  const timer = setInterval(() => void look(), Math.min(LOOK_MS, responseMs / 4)).unref()
  server.addHook('onClose', (_server, done) => {
    clearInterval(timer)
    done()
  })
}
