import { paths } from '../../contract/paths.ts'
import { pictureFileName } from '../../contract/picture-names.ts'
import { PictureParams } from '../../contract/requests.ts'
import { AppError } from '../../errors.ts'
import { pictureKey } from '../../images/images.ts'
import { attachment } from '../answers/attachment.ts'
import { notModified, pictureResponses, problemResponses } from '../answers/responses.ts'
import { sendImage } from '../answers/send-image.ts'
import type { HttpContext, Server } from '../context.ts'

/** A picture to download, from a folder or a bucket. It needs no signature: a key that reads the root may read it. */
export function getPicture(server: Server, { door, images, gone }: HttpContext): void {
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.getPicture,
    schema: {
      operationId: 'getPicture',
      tags: ['Downloads'],
      summary: 'Download one picture',
      description: 'The file has the name of its page.',
      params: PictureParams,
      response: {
        ...pictureResponses,
        304: notModified,
        ...problemResponses(
          'unauthorized',
          'not_found',
          'range_not_satisfiable',
          'rate_limited',
          'unavailable',
        ),
      },
    },
    handler: async (request, reply) => {
      const job = await door.getJob(request.params, request.apiKey)
      const key = pictureKey(job.projectId, job.text.uuid)
      const image = await images.open(key)
      if (!image) {
        await gone.report(key, request)
        throw new AppError('not_found')
      }
      reply
        .header('content-disposition', attachment(pictureFileName(job.name)))
        .header('cache-control', 'private, no-cache')
        .header('cross-origin-resource-policy', 'same-origin')
      return await sendImage(image, request, reply)
    },
  })
}
