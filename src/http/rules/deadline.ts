import { setImmediate as nextIteration } from 'node:timers/promises'
import type { HttpContext, Server } from '../context.ts'
import type { Connections } from './connections.ts'

/** How often answers are checked, at least. */
const LOOK_MS = 5_000
/** Answers that are checked in one iteration of the event loop. */
const LOOKED_AT_ONCE = 500

/** Ends an answer that takes too long in all, even if its reader is slow but steady. */
export function limitResponseTime(server: Server, connections: Connections, { config }: HttpContext): void {
  const { responseMs } = config.limits
  // One timer for all answers: a timer for each would cost more than the rest of the bookkeeping.
  const look = async () => {
    let looked = 0
    for (const { raw, request } of connections.answers()) {
      if (++looked % LOOKED_AT_ONCE === 0) await nextIteration()
      if (performance.now() - request.arrived < responseMs || raw.destroyed) continue
      server.log.warn({ reqId: request.id }, 'the answer was not read in time; closing the connection')
      raw.destroy()
    }
  }
  const timer = setInterval(() => void look(), Math.min(LOOK_MS, responseMs / 4)).unref()
  server.addHook('onClose', (_server, done) => {
    clearInterval(timer)
    done()
  })
}
