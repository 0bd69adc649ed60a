import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer, AskedForMuch } from '../../results/answer.ts'
import type { Piece } from '../../results/pieces.ts'
import { clientOf, type HttpContext } from '../context.ts'
import { headersOf } from '../rules/common-headers.ts'
import { originOf } from '../rules/origin.ts'
import { wantsGzip } from './compression.ts'
import { beginningWith, type HeldPiece, holdPieces, writePieces } from './pieces.ts'
import { whenClosed } from './when-closed.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
/** A smaller body is sent without waiting for memory: the system takes it even if the client does not read yet. */
export const SMALL_BYTES = 65_536

/**
 * Sends a kept body with its length, and a longer one piece by piece, as fast as it is read. Fastify is bypassed: it has
 * nothing to add. Rejects only before the first byte.
 */
export function sendAnswer(
  answer: Answer,
  request: FastifyRequest,
  reply: FastifyReply,
  context: HttpContext,
): undefined | Promise<void> {
  const headers = headersOf(request, reply)
  if (answer.etag === undefined) {
    headers['cache-control'] = 'no-store'
  } else {
    headers['etag'] = answer.etag
    headers['cache-control'] = 'private, no-cache'
    if (matchesEtag(request.headers['if-none-match'], answer.etag)) return sendWhole(reply, 304, headers)
  }
  headers['content-type'] = JSON_TYPE
  if (request.method === 'HEAD') return sendWhole(reply, 200, headers)
  const body = answer.body()
  if (!Buffer.isBuffer(body)) return sendPieces(answer, body, headers, request, reply, context)
  headers['content-length'] = body.length
  if (body.length > SMALL_BYTES) return sendLarge(body, headers, request, reply, context)
  return sendWhole(reply, reply.statusCode, headers, body)
}

export function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
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

/** Waits for memory, in case the client does not read it. */
async function sendLarge(
  body: Buffer,
  headers: OutgoingHttpHeaders,
  request: FastifyRequest,
  reply: FastifyReply,
  { unread }: HttpContext,
): Promise<void> {
  const taken = unread.take(clientOf(request), body.length, whenClosed(reply.raw))
  const held = await taken.catch(unlessGone(reply))
  if (!held) return
  reply.raw.once('close', held.giveBack)
  if (reply.raw.destroyed) held.giveBack()
  sendWhole(reply, reply.statusCode, headers, body)
}

async function sendPieces(
  answer: Answer,
  made: AsyncGenerator<Piece>,
  headers: OutgoingHttpHeaders,
  request: FastifyRequest,
  reply: FastifyReply,
  context: HttpContext,
): Promise<void> {
  const begin = async (pieces: typeof made) => {
    const held = holdPieces(pieces, request, reply, context, answer)
    const first = (await held.next().catch(unlessGone(reply)))?.value
    if (first?.etag) headers['etag'] = first.etag
    return first && { first, all: beginningWith(first, held) }
  }
  let begun = await begin(made)
  if (!begun) return
  const { first } = begun
  if (first.last) {
    const body = join(first)
    headers['content-length'] = body.length
    reply.raw.once('close', first.giveBack)
    if (reply.raw.destroyed) first.giveBack()
    return sendWhole(reply, 200, headers, body)
  }
  // HTTP/1.0 has no chunks: an answer without a length would look complete after a kill. So it is made twice, first to count.
  const isOld = request.raw.httpVersion === '1.0'
  if (isOld) {
    headers['content-length'] = await measure(begun.all).catch(unlessGone(reply))
    begun = await begin(answer.body() as typeof made)
    if (!begun) return
    // If the length has changed meanwhile, the answer breaks off, and the client notices.
    reply.raw.strictContentLength = true
  }
  const gzip = !isOld && wantsGzip(request, context.config.compress)
  headers['vary'] = headers['vary'] ? `${headers['vary']}, accept-encoding` : 'accept-encoding'
  if (gzip) headers['content-encoding'] = 'gzip'
  reply.hijack()
  reply.raw.writeHead(200, headers)
  // Only the first piece was awaited.
  void writePieces(reply.raw, begun.all, { gzip }).catch((error) => {
    // If the client has gone, the access log says so.
    if (!reply.raw.destroyed) request.log.error({ reqId: request.id, err: error }, 'the answer broke off')
    reply.raw.destroy()
  })
}

/** How many bytes all pieces have. The pieces are not kept. */
async function measure(pieces: AsyncIterable<HeldPiece>): Promise<number> {
  let bytes = 0
  for await (const { parts, giveBack } of pieces) {
    for (const part of parts.splice(0)) bytes += Buffer.byteLength(part)
    giveBack()
  }
  return bytes
}

/** A client that has gone needs no error. */
function unlessGone(reply: FastifyReply): (error: unknown) => undefined {
  return (error) => {
    if (!reply.raw.destroyed) throw error
    reply.hijack()
  }
}

function join({ parts }: Piece): Buffer {
  return Buffer.concat(parts.splice(0).map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
}

/** RFC 9110: `If-None-Match` compares weakly, and `*` matches everything that exists. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag) return true
  if (ifNoneMatch.trim() === '*') return true
  const opaque = etag.replace(/^W\//, '')
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === opaque)
}

/** The work is done in turns of the client, and stops when the client has gone. */
export function askedForMuch(
  request: FastifyRequest,
  reply: FastifyReply,
  context: HttpContext,
): AskedForMuch {
  return {
    now: context.clock(),
    origin: originOf(request, context),
    inTurn: context.turns.for(clientOf(request)),
    isGone: () => reply.raw.destroyed,
  }
}
