import { paths } from '../../contract/paths.ts'
import { Type } from '../../contract/schema.ts'
import { AppError } from '../../errors.ts'
import { notModified, pictureResponses, problemResponses } from '../answers/responses.ts'
import { sendImage } from '../answers/send-image.ts'
import type { HttpContext, Server } from '../context.ts'

/** Serves pictures at signed addresses. The signature is the permission. */
export function getImage(server: Server, { images, clock, gone }: HttpContext): void {
  server.route({
    method: ['GET', 'HEAD'],
    url: `${paths.images}*`,
    config: { access: 'everyone' },
    schema: {
      operationId: 'getImage',
      tags: ['Images'],
      summary: 'Get a picture or its preview',
      description: 'Use the address in `data` or `preview` of a result, unchanged. It is signed and expires.',
      security: [],
      params: Type.Object({
        projectId: Type.String({ description: 'The project (UUID).' }),
        file: Type.String({ description: '`<uuid>.png` or `<uuid>-preview.png`' }),
      }),
      response: {
        ...pictureResponses,
        304: notModified,
        ...problemResponses('address_invalid', 'address_expired', 'not_found', 'range_not_satisfiable'),
      },
    },
    handler: async (request, reply) => {
      const now = clock()
      const { key, expiresMs } = images.verify(request.url, now)
      const image = await images.open(key)
      if (!image) {
        await gone.report(key, request)
        throw new AppError('not_found')
      }
      reply
        .header('cache-control', `public, max-age=${Math.floor((expiresMs - now) / 1000)}, immutable`)
        .header('cross-origin-resource-policy', 'cross-origin')
      return await sendImage(image, request, reply)
    },
  })
}
