import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Piece } from '../results/pieces.ts'
import type { Answer } from '../results/results.ts'
import { matchesEtag } from './conditional.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * A body that is whole goes out with its length; a longer one piece by piece, as fast as it is read. Past Fastify,
 * which has nothing to add to it. Rejects only before the first byte.
 */
export function sendAnswer(
  answer: Answer,
  request: FastifyRequest,
  reply: FastifyReply,
): undefined | Promise<void> {
  const headers = reply.getHeaders() as OutgoingHttpHeaders
  headers['etag'] = answer.etag
  headers['cache-control'] = 'private, no-cache'
  if (matchesEtag(request.headers['if-none-match'], answer.etag)) return sendWhole(reply, 304, headers)
  headers['content-type'] = JSON_TYPE
  if (request.method === 'HEAD') return sendWhole(reply, 200, headers)
  if (answer.whole) {
    headers['content-length'] = answer.whole.length
    return sendWhole(reply, 200, headers, answer.whole)
  }
  return sendPieces(answer.body(), headers, request, reply)
}

function sendWhole(
  reply: FastifyReply,
  status: number,
  headers: OutgoingHttpHeaders,
  body?: Buffer,
): undefined {
  reply.hijack()
  reply.raw.writeHead(status, headers).end(body)
}

async function sendPieces(
  pieces: AsyncGenerator<Piece>,
  headers: OutgoingHttpHeaders,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { value: first, done } = await pieces.next()
  if (done) throw new Error('an answer has at least one piece')
  if (first.last) {
    const body = join(first)
    headers['content-length'] = body.length
    return sendWhole(reply, 200, headers, body)
  }
  reply.hijack()
  reply.raw.writeHead(200, headers)
  try {
    await write(reply.raw, first, pieces)
  } catch (error) {
    request.log.error({ reqId: request.id, err: error }, 'the answer broke off')
    reply.raw.destroy()
  }
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
