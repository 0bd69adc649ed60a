import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify'

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
