import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { PROBLEM_TYPE, type Problem } from '../../contract/problem.ts'
import { AppError, cannotWrite, describeFailure, type ErrorCode } from '../../errors.ts'
import { isAnswering } from '../rules/connections.ts'
import { withoutPath } from './no-browser.ts'

/** If the error has no time of its own. */
const RETRY_AFTER_S = 5
/** Headers of the answer that could not be given. */
const HEADERS_OF_SUCCESS = [
  'etag',
  'link',
  'last-modified',
  'accept-ranges',
  'content-length',
  'content-disposition',
  'content-range',
]

/** Sends every error, as problem+json without internals. */
export function sendProblem(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = toAppError(thrown)
  const { status, log } = describeFailure(error.code)
  for (const name of HEADERS_OF_SUCCESS) {
    if (!(status === 416 && name === 'content-range')) reply.removeHeader(name)
  }
  if (log) request.log.error({ reqId: request.id, err: thrown }, error.message)
  if (error.code === 'unauthorized') reply.header('www-authenticate', 'Bearer realm="proofsheet"')
  const retryAfterS = error.retryAfterS ?? (status === 503 ? RETRY_AFTER_S : undefined)
  if (retryAfterS !== undefined) reply.header('retry-after', String(retryAfterS))
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .type(PROBLEM_TYPE)
    .send(request.method === 'HEAD' ? undefined : JSON.stringify(toProblem(error, request.id)))
}

function toProblem(error: AppError, requestId: string): Problem {
  const { status, title } = describeFailure(error.code)
  // Our own failures are in the log: the client gets only the id of the request. All `not_found` answers look the same.
  const telling =
    (status < 500 && error.code !== 'not_found') ||
    error.code === 'no_browser' ||
    error.isTold ||
    cannotWrite(error)
  const message = error.code === 'no_browser' ? withoutPath(error.message) : error.message
  const detail = telling && message !== title ? { detail: message } : {}
  const errors = error.mistakes.length > 0 ? { errors: [...error.mistakes] } : {}
  return { type: 'about:blank', title, status, code: error.code, ...detail, requestId, ...errors }
}

function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  const { statusCode } = thrown as Partial<FastifyError>
  if (statusCode === 413) return new AppError('too_large', 'the request body is larger than MAX_BODY_BYTES')
  if (statusCode === 415) {
    return new AppError('unsupported_media_type', 'send JSON, with Content-Type: application/json')
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return new AppError('bad_request')
  return new AppError('internal', undefined, { cause: thrown })
}

const CONNECTION_ERRORS: Record<string, ErrorCode> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
}

/** How long a refused client may take to read the reason. Without this limit it would keep its connection. */
const READ_MS = 1_000

/** For connections without a valid request: broken HTTP, headers that are too large or too slow. */
export function refuseConnection(log: FastifyBaseLogger, error: NodeJS.ErrnoException, socket: Socket): void {
  // In the middle of an answer, the error would look like a part of it.
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy()
    return
  }
  const failure = new AppError(CONNECTION_ERRORS[error.code ?? ''] ?? 'bad_request')
  const requestId = randomUUID()
  const body = JSON.stringify(toProblem(failure, requestId))
  const { status, title } = describeFailure(failure.code)
  log.info({ reqId: requestId, status, reason: error.code }, 'not a request')
  // If the connection closed at once, a client that still sends would lose the answer.
  const impatient = setTimeout(() => socket.destroy(), READ_MS)
  socket.once('close', () => clearTimeout(impatient))
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: ${PROBLEM_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${requestId}\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n` +
      `Connection: close\r\n\r\n${body}`,
  )
}
