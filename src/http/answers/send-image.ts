import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import { IMAGE_TYPE, type OpenImage } from '../../images/images.ts'
import { parseRange } from './byte-range.ts'
import { matchesEtag } from './conditional.ts'

/** Sends the picture, or the requested range of it. The caller sets the headers for caches. */
export async function sendImage(
  image: OpenImage,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply
    .header('etag', image.etag)
    .header('last-modified', image.modified.toUTCString())
    .header('accept-ranges', 'bytes')
    // Other sites may show pictures.
    .header('content-security-policy', "default-src 'none'; sandbox")
  if (matchesEtag(request.headers['if-none-match'], image.etag)) {
    await image.close()
    return reply.code(304).send()
  }
  const { range: wanted, 'if-range': ifRange } = request.headers
  const range = request.method === 'GET' && (!ifRange || ifRange === image.etag) ? wanted : undefined
  const part = parseRange(range, image.size)
  if (part === 'unsatisfiable') {
    await image.close()
    reply.header('content-range', `bytes */${image.size}`)
    throw new AppError('range_not_satisfiable')
  }
  const { start, end } = part ?? { start: 0, end: image.size - 1 }
  if (part) reply.code(206).header('content-range', `bytes ${start}-${end}/${image.size}`)
  reply.type(IMAGE_TYPE).header('content-length', end - start + 1)
  if (request.method === 'HEAD') {
    await image.close()
    return reply.send()
  }
  return reply.send(image.stream({ start, end }))
}
