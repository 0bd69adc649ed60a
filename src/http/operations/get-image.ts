import { paths } from '../../contract/paths.ts'
import { Type } from '../../contract/schema.ts'
import { AppError } from '../../errors.ts'
import { IMAGE_TYPE } from '../../images/images.ts'
import { parseRange } from '../byte-range.ts'
import { matchesEtag } from '../conditional.ts'
import type { HttpContext, Server } from '../context.ts'
import { notModified, problemResponses } from '../responses.ts'

const PICTURE = { type: 'string', format: 'binary' }

/** Serves the pictures that signed addresses of this service lead to. The signature is the permission. */
export function getImage(server: Server, { images, clock }: HttpContext): void {
  server.route({
    method: ['GET', 'HEAD'],
    url: `${paths.images}*`,
    config: { access: 'everyone' },
    schema: {
      operationId: 'getImage',
      tags: ['Images'],
      summary: 'Get a picture or its preview',
      description:
        'Take the address from `data` or `preview` of a result as it stands; it is signed and expires.',
      security: [],
      params: Type.Object({
        '*': Type.String({ description: '`<projectId>/<uuid>.png` or `<projectId>/<uuid>-preview.png`' }),
      }),
      response: {
        200: { description: 'The picture.', content: { [IMAGE_TYPE]: { schema: PICTURE } } },
        206: { description: 'A part of it.', content: { [IMAGE_TYPE]: { schema: PICTURE } } },
        304: notModified,
        ...problemResponses('address_invalid', 'address_expired', 'not_found', 'range_not_satisfiable'),
      },
    },
    handler: async (request, reply) => {
      const now = clock()
      const { key, expiresMs } = images.verify(request.url, now)
      const image = await images.open(key)
      if (!image) throw new AppError('not_found')
      reply
        .header('etag', image.etag)
        .header('last-modified', image.modified.toUTCString())
        .header('accept-ranges', 'bytes')
        .header('cache-control', `public, max-age=${Math.floor((expiresMs - now) / 1000)}, immutable`)
        .header('content-security-policy', "default-src 'none'; sandbox")
        .header('cross-origin-resource-policy', 'cross-origin')
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
    },
  })
}
