import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Server } from '../context.ts'
import type { Connections } from './connections.ts'

/** The part of an address that is logged. It ends before a signature, even if the `?` is escaped. */
const PLAIN_PATH = /^[\w\-./~:@]*/

/**
 * Gives every request the log of the service. With a log of its own, Fastify would listen for the end of every answer, and make a
 * child log for every request, which takes time. Our lines name their request themselves. Fastify's lines about the course of a
 * request are left out, except the reason why an answer broke off.
 */
export class RequestLog extends LogController {
  readonly #log: FastifyBaseLogger

  constructor(log: FastifyBaseLogger) {
    super({ disableRequestLogging: true })
    this.#log = log
  }

  override incomingRequest(request: FastifyRequest, reply: FastifyReply): void {
    request.log = this.#log
    reply.log = this.#log
  }

  override streamError(error: Error, request: FastifyRequest): void {
    // The client has gone: the access log says so.
    if ((error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE') return
    this.#log.error({ reqId: request.id, err: error }, 'the answer broke off')
  }
}

/** One line for each request, also if the client has gone before the end of the answer. */
export function logRequests(server: Server, connections: Connections): void {
  // Lines that would not be written are not made.
  if (!['trace', 'debug', 'info'].includes(server.log.level)) return
  connections.whenOver((request, reply) => {
    const line = {
      reqId: request.id,
      method: request.method,
      path: PLAIN_PATH.exec(request.url)?.[0],
      status: reply.statusCode,
      ms: Math.round((performance.now() - request.arrived) * 10) / 10,
      ...(request.apiKey && { key: request.apiKey.keyId }),
      ...(!reply.raw.writableFinished && { aborted: true }),
    }
    server.log.info(line, 'request')
  })
}
