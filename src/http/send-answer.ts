import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from '../results/results.ts'
import { matchesEtag } from './conditional.ts'

/** Answers up to this many characters go out whole, with their length; larger ones as a stream. */
const WHOLE_LENGTH = 64 * 1024

export async function sendAnswer(
  answer: Answer,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.header('etag', answer.etag).header('cache-control', 'private, no-cache')
  if (matchesEtag(request.headers['if-none-match'], answer.etag)) return reply.code(304).send()
  reply.type('application/json; charset=utf-8')
  if (request.method === 'HEAD') return reply.send()

  const pieces = answer.body()
  let begin = ''
  while (begin.length < WHOLE_LENGTH) {
    const { done, value } = await pieces.next()
    if (done) return reply.send(begin)
    begin += value
  }
  // One piece waits for a slow reader, as text: Node writes it without a Buffer that the collector must find.
  return reply.send(Readable.from(continued(begin, pieces, request), { highWaterMark: 1 }))
}

async function* continued(
  begin: string,
  rest: AsyncGenerator<string>,
  request: FastifyRequest,
): AsyncGenerator<string> {
  try {
    yield begin
    yield* rest
  } catch (error) {
    request.log.error({ err: error }, 'the answer broke off')
    throw error
  }
}
