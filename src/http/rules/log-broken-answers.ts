import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'

/** Replaces the log lines of Fastify. Only the reason why an answer broke off is logged. */
export class LogBrokenAnswers extends LogController {
  constructor() {
    super({ disableRequestLogging: true })
  }

  override streamError(error: Error, request: FastifyRequest, _reply: FastifyReply): void {
    // The client has gone: the access log says so.
    if ((error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE') return
    request.log.error({ reqId: request.id, err: error }, 'the answer broke off')
  }
}
