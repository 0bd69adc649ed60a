import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'

/** Of all that Fastify would log, only why an answer broke off that had begun. */
export class LogBrokenAnswers extends LogController {
  constructor() {
    super({ disableRequestLogging: true })
  }

  override streamError(error: Error, request: FastifyRequest, _reply: FastifyReply): void {
    // Whoever has gone is heard of by the log of requests.
    if ((error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE') return
    request.log.error({ reqId: request.id, err: error }, 'the answer broke off')
  }
}
