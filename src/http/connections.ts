import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import { AppError } from '../errors.ts'
import type { Server } from './context.ts'

/** Requests a client may send ahead of their answers. Nobody needs more; each costs memory while it waits. */
const MAX_AHEAD = 32

const TOO_MANY_AHEAD = `more than ${MAX_AHEAD} requests were sent ahead`

/** Answers that a connection still owes, and those of them that wait for their turn. */
interface Owed {
  count: number
  readonly waiting: (() => void)[]
}

const owedBy = new WeakMap<Socket, Owed>()

export function isAnswering(socket: Socket): boolean {
  return (owedBy.get(socket)?.count ?? 0) > 0
}

/** Runs when an answer is over, whether it was read to its end or given up. */
export function whenOver(reply: FastifyReply, then: () => void): void {
  reply.raw.once('close', then)
}

/**
 * Answers one request of a connection after the other. Node would begin all that were sent ahead at once, and a
 * single client that reads nothing could fill the memory with their beginnings.
 */
export function takeTurns(server: Server): { drain(): void } {
  const open = new Set<Socket>()
  let draining = false
  server.server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  server.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw
    const owed = owedBy.get(socket) ?? { count: 0, waiting: [] }
    owedBy.set(socket, owed)
    owed.count++
    whenOver(reply, () => {
      owed.count--
      if (draining && owed.count === 0) socket.destroySoon()
      owed.waiting.shift()?.()
    })
    if (owed.count > MAX_AHEAD) socket.destroy()
    const begin = () => done(socket.destroyed ? new AppError('bad_request', TOO_MANY_AHEAD) : undefined)
    if (owed.count === 1) begin()
    else owed.waiting.push(begin)
  })
  return {
    /** Closes every connection that owes no answer, now or as soon as it does not. */
    drain() {
      draining = true
      for (const socket of open) if (!isAnswering(socket)) socket.destroySoon()
    },
  }
}
