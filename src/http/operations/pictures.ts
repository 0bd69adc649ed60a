import { Readable } from 'node:stream'
import { paths } from '../../contract/paths.ts'
import { pictureFileName } from '../../contract/picture-names.ts'
import { PictureParams, RootParams } from '../../contract/requests.ts'
import { Type } from '../../contract/schema.ts'
import { AppError } from '../../errors.ts'
import { filesOf, type ImageKey } from '../../images/images.ts'
import { attachment } from '../answers/attachment.ts'
import { matchesEtag } from '../answers/conditional.ts'
import { notModified, pictureResponses, resultHeaders } from '../answers/responses.ts'
import { sendImage } from '../answers/send-image.ts'
import type { HttpContext } from '../context.ts'
import type { Declare } from '../operation.ts'
import { clientOf } from '../rules/client-of.ts'

const ARCHIVE_TYPE = 'application/zip'

/** Part of every ETag of an archive. Raise it when the same pictures give another archive than before. */
const WRITING = 1

/** Pictures to download, for those who may read their root. */
export function downloads(declare: Declare, { door, gone, images, makeArchive }: HttpContext): void {
  declare({
    id: 'getPicture',
    tag: 'Downloads',
    summary: 'Download one picture',
    description: 'The file has the name of its page.',
    path: paths.getPicture,
    params: PictureParams,
    answers: { ...pictureResponses, 304: notModified },
    fails: ['range_not_satisfiable'],
    async run(request, reply) {
      const job = await door.getJob(request.params, request.apiKey)
      const { picture: key } = filesOf(job.projectId, job.text)
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
  declare({
    id: 'getArchive',
    tag: 'Downloads',
    summary: 'Download the pictures of one root',
    description:
      'All finished pictures, as one ZIP archive of any size. Files are named by the number and the name of their page: ' +
      '`001-Home.png`. An archive that breaks off is not valid, and programs report that when they open it.',
    path: paths.getArchive,
    params: RootParams,
    answers: {
      200: {
        description: 'The archive.',
        headers: resultHeaders,
        content: { [ARCHIVE_TYPE]: { schema: { type: 'string', format: 'binary' } } },
      },
      304: notModified,
    },
    fails: ['storage_failed'],
    async run(request, reply) {
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

/** What the signed addresses of results lead to. The signature is the permission. */
export function signedPictures(declare: Declare, { clock, gone, images }: HttpContext): void {
  declare({
    id: 'getImage',
    tag: 'Images',
    summary: 'Get a picture or its preview',
    description: 'Use the address in `data` or `preview` of a result, unchanged. It is signed and expires.',
    access: 'everyone',
    path: `${paths.images}*`,
    params: Type.Object({
      projectId: Type.String({ description: 'The project (UUID).' }),
      file: Type.String({ description: '`<uuid>.png` or `<uuid>-preview.png`' }),
    }),
    answers: { ...pictureResponses, 304: notModified },
    fails: ['address_invalid', 'address_expired', 'not_found', 'range_not_satisfiable'],
    async run(request, reply) {
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
