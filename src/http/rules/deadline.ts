import type { Socket } from 'node:net'
import { setImmediate as nextIteration } from 'node:timers/promises'
import type { HttpContext, Server } from '../context.ts'
import type { Connections } from './connections.ts'

/** How often answers are checked, at least. An answer ends at most this much later than it should. */
const LOOK_MS = 5_000
/** Answers that are checked in one iteration of the event loop. */
const LOOKED_AT_ONCE = 500

/**
 * Ends an answer that takes too long in all, even if its reader is slow but steady, and one of which nothing is read for IDLE_TIMEOUT.
 * Node's own timer starts again if anything has moved since it started: that takes twice as long, or longer.
 */
export function limitResponseTime(server: Server, connections: Connections, { config }: HttpContext): void {
  const { idleMs, responseMs } = config.limits
  const movedBy = new WeakMap<Socket, { bytes: number; at: number }>()
  const isIdle = (socket: Socket | null, now: number): boolean => {
    // Most answers wait for changes, and have sent what there was: their handles need not be asked.
    const sent = socket && socket.writableLength > 0 && describeSent(socket)
    if (!sent || sent.waiting === 0) return false
    const bytes = socket.bytesRead + sent.taken
    const before = movedBy.get(socket)
    if (before?.bytes === bytes) return now - before.at >= idleMs
    movedBy.set(socket, { bytes, at: now })
    return false
  }
  // One timer for all answers: a timer for each would cost more than the rest of the bookkeeping.
  const look = async () => {
    let looked = 0
    for (const { raw, request } of connections.answers()) {
      if (++looked % LOOKED_AT_ONCE === 0) await nextIteration()
      if (raw.destroyed) continue
      const now = performance.now()
      const isLate = now - request.arrived >= responseMs
      if (!isLate && !isIdle(raw.socket, now)) continue
      const reason = isLate
        ? 'the answer was not read in time'
        : 'nothing of the answer was read for IDLE_TIMEOUT'
      server.log.warn({ reqId: request.id }, `${reason}; closing the connection`)
      raw.destroy()
    }
  }
  const timer = setInterval(() => void look(), Math.min(LOOK_MS, responseMs / 4, idleMs / 4)).unref()
  server.addHook('onClose', (_server, done) => {
    clearInterval(timer)
    done()
  })
}

/** How many bytes the system has taken, and how many wait. Only the handle of the socket shows that; Node reads it there, too. */
function describeSent(socket: Socket): { taken: number; waiting: number } | undefined {
  const { _handle: handle } = socket as { _handle?: { bytesWritten: number; writeQueueSize: number } | null }
  return handle
    ? { taken: handle.bytesWritten - handle.writeQueueSize, waiting: handle.writeQueueSize }
    : undefined
}
