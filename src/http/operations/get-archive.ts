import { Readable } from 'node:stream'
import { paths } from '../../contract/paths.ts'
import { RootParams } from '../../contract/requests.ts'
import type { ImageKey } from '../../images/images.ts'
import { attachment } from '../answers/attachment.ts'
import { matchesEtag } from '../answers/conditional.ts'
import { notModified, problemResponses, resultHeaders } from '../answers/responses.ts'
import type { HttpContext, Server } from '../context.ts'
import { clientOf } from '../rules/client-of.ts'

const ARCHIVE_TYPE = 'application/zip'

/** Part of every ETag. Raise it when the same pictures give another archive than before. */
const WRITING = 1

export function getArchive(server: Server, { door, makeArchive, gone }: HttpContext): void {
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.getArchive,
    schema: {
      operationId: 'getArchive',
      tags: ['Downloads'],
      summary: 'Download the pictures of one root',
      description:
        'All finished pictures, as one ZIP archive of any size. Files are named by the number and the name of their page: ' +
        '`001-Home.png`. An archive that breaks off is not valid, and programs report that when they open it.',
      params: RootParams,
      response: {
        200: {
          description: 'The archive.',
          headers: resultHeaders,
          content: { [ARCHIVE_TYPE]: { schema: { type: 'string', format: 'binary' } } },
        },
        304: notModified,
        ...problemResponses('unauthorized', 'not_found', 'rate_limited', 'unavailable', 'storage_failed'),
      },
    },
    handler: async (request, reply) => {
      const root = await door.getRoot(request.params, request.apiKey)
      const etag = `W/"${root.revision}.zip${WRITING}"`
      reply.header('etag', etag).header('cache-control', 'private, no-cache')
      if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
      reply.type(ARCHIVE_TYPE).header('content-disposition', attachment(`${root.rootId}.zip`))
      if (request.method === 'HEAD') return reply.send()
      const onGone = (key: ImageKey) => gone.report(key, request)
      const archive = makeArchive(root.projectId, root, { client: clientOf(request), onGone })
      return reply.send(Readable.from(archive, { objectMode: false }))
    },
  })
}
