import type { Socket } from 'node:net'
import { setImmediate as nextIteration } from 'node:timers/promises'
import type { HttpContext, Server } from '../context.ts'
import type { Connections } from './connections.ts'

/** How often it is looked, at the latest: by so much later than IDLE_TIMEOUT a connection ends. */
const LOOK_MS = 2_000
/** Before anything else has a turn. */
const LOOKED_AT_ONCE = 500

interface Moved {
  bytes: number
  at: number
}

/**
 * Ends a connection that takes nothing of its answer for IDLE_TIMEOUT. Node looks only when its own timer is over, and begins anew
 * where anything has moved since: that takes up to twice as long, and longer.
 */
export function limitIdleTime(server: Server, connections: Connections, { config }: HttpContext): void {
  const { idleMs } = config.limits
  const movedBy = new WeakMap<Socket, Moved>()
  const look = async () => {
    let looked = 0
    for (const { raw, request } of connections.answers()) {
      if (++looked % LOOKED_AT_ONCE === 0) await nextIteration()
      const { socket } = raw
      const sent = socket && describeSent(socket)
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
 * What the system has taken of what was given to it, and what waits. Of a large piece it takes some at a time, and nothing but the
 * handle of the socket tells; Node's own timer looks there, too.
 */
function describeSent(socket: Socket): { taken: number; waiting: number } | undefined {
  const { _handle: handle } = socket as { _handle?: { bytesWritten: number; writeQueueSize: number } | null }
  return handle
    ? { taken: handle.bytesWritten - handle.writeQueueSize, waiting: handle.writeQueueSize }
    : undefined
}
