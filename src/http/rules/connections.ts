import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import type { HttpContext, Server } from '../context.ts'
import { Admission } from './admission.ts'
import { type Connection, ConnectionsByAddress } from './connections-by-address.ts'

/** Requests that a client may send ahead of their answers. Each costs memory while it waits. */
const MAX_AHEAD = 32
/** Connections that are first read in one iteration of the event loop. Each may bring 64 KB of a body. */
const BEGUN_AT_ONCE = 4
const TOO_MANY_AHEAD = `more than ${MAX_AHEAD} requests were sent ahead`

/** The answers that a connection still owes. */
class Owed {
  readonly connection: Connection
  count = 0
  /** The answer under way. */
  current: FastifyReply | undefined
  /** Requests that have arrived and are not in `count` yet. */
  notBegun = 0
  client: string | undefined
  /** They wait for the answer under way. */
  readonly waiting: (() => void)[] = []

  constructor(connection: Connection) {
    this.connection = connection
  }
}

/** A property of the socket: every request asks for it, and a look-up in a `WeakMap` costs more. */
const OWED = Symbol('owed')

function owedBy(socket: Socket & { [OWED]?: Owed }): Owed | undefined {
  return socket[OWED]
}

export function isAnswering(socket: Socket): boolean {
  const { count = 0, notBegun = 0 } = owedBy(socket) ?? {}
  return count + notBegun > 0
}

/** Connections that arrive together are read a few at a time: clients open thousands at once. */
function beginInSlices({ server }: Server, welcome: (socket: Socket) => void): void {
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[]
  const admission = new Admission(BEGUN_AT_ONCE)
  // A property of every net.Server, which the types do not know.
  Object.assign(server, { pauseOnConnect: true })
  const begin = (socket: Socket) => {
    if (socket.destroyed) return
    for (const listener of listeners) listener.call(server, socket)
    welcome(socket)
    socket.resume()
  }
  server.removeAllListeners('connection').on('connection', (socket: Socket) => {
    if (admission.mayBegin()) begin(socket)
    else admission.waitInLine(socket.remoteAddress ?? '', () => begin(socket))
  })
}

type Afterwards = (request: FastifyRequest, reply: FastifyReply) => void

export type Connections = ReturnType<typeof answerInOrder>

/** Answers one request of a connection after the other. Node would begin all, and fill the memory for a client that reads nothing. */
export function answerInOrder(server: Server, { config, refusals }: HttpContext) {
  const byAddress = new ConnectionsByAddress()
  const afterwards: Afterwards[] = []
  let draining = false
  // At MAX_CONNECTIONS an idle connection is closed. Its client can connect again.
  const makeRoom = (newcomer: Socket) => {
    if (byAddress.count < config.limits.connections) return true
    refusals.count('connections')
    const idle = byAddress.findIdle(newcomer)
    if (!idle) return false
    byAddress.remove(idle)
    idle.socket.destroy()
    return true
  }
  const welcome = (socket: Socket) => {
    if (!makeRoom(socket)) return socket.destroy()
    const connection = byAddress.add(socket)
    Object.assign(socket, { [OWED]: new Owed(connection) })
    socket.once('close', () => byAddress.remove(connection))
  }
  beginInSlices(server, welcome)
  // Requests of a closed connection are dropped: Node still parses those that have arrived, perhaps thousands.
  const [answer] = server.server.listeners('request') as RequestListener[]
  const admission = new Admission()
  server.server.removeAllListeners('request').on('request', (request, response) => {
    const { socket, headers } = request
    const owed = owedBy(socket)
    if (!owed || socket.destroyed) return
    // The key is not looked up yet. The first request names the client, so that those of a connection stay in order.
    owed.client ??= headers.authorization ?? socket.remoteAddress ?? ''
    if (admission.mayBegin()) {
      answer?.(request, response)
      return
    }
    owed.notBegun++
    admission.waitInLine(owed.client, () => {
      owed.notBegun--
      if (!socket.destroyed) answer?.(request, response)
    })
  })
  server.decorateRequest('arrived', 0)
  server.addHook('onRequest', (request, reply, done) => {
    request.arrived = performance.now()
    const { socket } = request.raw
    const owed = owedBy(socket) as Owed
    owed.count++
    if (owed.count === 1) byAddress.busy(owed.connection)
    reply.raw.on('close', () => {
      owed.count--
      owed.current = undefined
      if (owed.count === 0) byAddress.idle(owed.connection)
      if (draining && !isAnswering(socket)) socket.destroySoon()
      for (const then of afterwards) then(request, reply)
      owed.waiting.shift()?.()
    })
    if (owed.count > MAX_AHEAD) socket.destroy()
    const begin = () => {
      if (!socket.destroyed) owed.current = reply
      done(socket.destroyed ? new AppError('bad_request', TOO_MANY_AHEAD) : undefined)
    }
    if (owed.count === 1) begin()
    else owed.waiting.push(begin)
  })
  return {
    /** Runs after every answer, whether it was read to its end or not. */
    whenOver(then: Afterwards): void {
      afterwards.push(then)
    },
    /** The answers that are under way. */
    *answers(): Generator<FastifyReply> {
      for (const socket of byAddress.sockets()) {
        const { current } = owedBy(socket) ?? {}
        if (current) yield current
      }
    },
    /** Closes each connection as soon as it owes no answer. */
    drain(): void {
      draining = true
      for (const socket of byAddress.sockets()) if (!isAnswering(socket)) socket.destroySoon()
    },
  }
}
