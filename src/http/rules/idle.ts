import type { Socket } from 'node:net'
import { setImmediate as nextIteration } from 'node:timers/promises'
import type { HttpContext, Server } from '../context.ts'
import type { Connections } from './connections.ts'

/** How often connections are checked, at least. A connection ends at most this much later than IDLE_TIMEOUT. */
const LOOK_MS = 5_000
/** Connections that are checked in one iteration of the event loop. */
const LOOKED_AT_ONCE = 500

interface Moved {
  bytes: number
  at: number
}

/**
 * Ends a connection whose client reads nothing of its answer for IDLE_TIMEOUT. Node's own timer starts again if anything has
 * moved since it started: that takes twice as long, or longer.
 */
export function limitIdleTime(server: Server, connections: Connections, { config }: HttpContext): void {
  const { idleMs } = config.limits
  const movedBy = new WeakMap<Socket, Moved>()
  const look = async () => {
    let looked = 0
    for (const { raw, request } of connections.answers()) {
      if (++looked % LOOKED_AT_ONCE === 0) await nextIteration()
      const { socket } = raw
      // Most answers wait for changes, and have sent what there was: their handles need not be asked.
      const sent = socket && socket.writableLength > 0 && describeSent(socket)
      if (!sent || sent.waiting === 0) continue
      const bytes = socket.bytesRead + sent.taken
      const before = movedBy.get(socket)
      const now = performance.now()
      if (before?.bytes !== bytes) movedBy.set(socket, { bytes, at: now })
      else if (now - before.at >= idleMs) {
        server.log.warn(
          { reqId: request.id },
          'nothing of the answer was read for IDLE_TIMEOUT; closing the connection',
        )
        socket.destroy()
      }
    }
  }
  const timer = setInterval(() => void look(), Math.min(LOOK_MS, idleMs / 4)).unref()
  server.addHook('onClose', (_server, done) => {
    clearInterval(timer)
    done()
  })
}

/**
 * How many bytes the system has taken, and how many wait. The system takes a large piece bit by bit, and only the handle of
 * the socket shows how much. Node's own timer reads it there, too.
 */
function describeSent(socket: Socket): { taken: number; waiting: number } | undefined {
  const { _handle: handle } = socket as { _handle?: { bytesWritten: number; writeQueueSize: number } | null }
  return handle
    ? { taken: handle.bytesWritten - handle.writeQueueSize, waiting: handle.writeQueueSize }
    : undefined
}
