import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Piece } from '../results/pieces.ts'
import type { Answer } from '../results/results.ts'
import { matchesEtag } from './conditional.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** A body that is whole goes out with its length; a longer one piece by piece, as fast as it is read. */
export async function sendAnswer(
  answer: Answer,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const headers = reply.getHeaders() as OutgoingHttpHeaders
  headers['etag'] = answer.etag
  headers['cache-control'] = 'private, no-cache'
  if (matchesEtag(request.headers['if-none-match'], answer.etag)) {
    reply.hijack()
    reply.code(304).raw.writeHead(304, headers).end()
    return
  }
  headers['content-type'] = JSON_TYPE
  if (request.method === 'HEAD') {
    reply.hijack()
    reply.raw.writeHead(200, headers).end()
    return
  }
  if (answer.whole) return sendWhole(reply, headers, answer.whole)

  const pieces = answer.body()
  const { value: first, done } = await pieces.next()
  if (done) throw new Error('an answer has at least one piece')
  if (first.last) return sendWhole(reply, headers, join(first))
  reply.hijack()
  reply.raw.writeHead(200, headers)
  try {
    await write(reply.raw, first, pieces)
  } catch (error) {
    request.log.error({ reqId: request.id, err: error }, 'the answer broke off')
    reply.raw.destroy()
  }
}

/** Past Fastify, which has nothing to add to it. */
function sendWhole(reply: FastifyReply, headers: OutgoingHttpHeaders, body: Buffer): void {
  headers['content-length'] = body.length
  reply.hijack()
  reply.raw.writeHead(200, headers).end(body)
}

function join({ parts }: Piece): Buffer {
  const buffers = parts
    .filter((part) => part !== '')
    .map((part) => (typeof part === 'string' ? Buffer.from(part) : part))
  return buffers.length === 1 && buffers[0] ? buffers[0] : Buffer.concat(buffers)
}

/** One piece waits for a slow reader. Text is written as text: no Buffer is made that the collector must find. */
async function write(response: ServerResponse, first: Piece, rest: AsyncGenerator<Piece>): Promise<void> {
  let piece = first
  while (!piece.last) {
    await writePiece(response, piece)
    if (response.destroyed) {
      await rest.return(undefined)
      return
    }
    const { value, done } = await rest.next()
    if (done) throw new Error('an answer ends with its last piece')
    piece = value
  }
  await writePiece(response, piece)
  response.end()
}

/**
 * Until the socket has taken it, or is no more. Not until `drain`: what was written while corked may be gone by the
 * time it is uncorked, and then there is none.
 */
function writePiece(response: ServerResponse, { parts }: Piece): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      response.off('close', over)
      resolve()
    }
    response.once('close', over)
    const texts = parts.filter((part) => part !== '')
    const last = texts.pop() ?? ''
    // The answer is corked so that they become one chunk, its socket so that this is written at once.
    const { socket } = response
    socket?.cork()
    response.cork()
    for (const part of texts) response.write(part)
    response.write(last, over)
    response.uncork()
    socket?.uncork()
    if (response.destroyed) over()
  })
}
