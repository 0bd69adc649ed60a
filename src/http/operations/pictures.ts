import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { paths } from '../../contract/paths.ts'
import { pictureFileName } from '../../contract/picture-names.ts'
import { AppError } from '../../errors.ts'
import { filesOf, IMAGE_TYPE, type ImageKey, type OpenImage } from '../../images/images.ts'
import { notModified, pictureResponses, resultHeaders } from '../answers/responses.ts'
import { matchesEtag } from '../answers/send-answer.ts'
import { clientOf, type HttpContext } from '../context.ts'
import type { Declare } from '../operation.ts'

const ARCHIVE_TYPE = 'application/zip'

/** Part of every ETag of an archive. Raise it when the same pictures give a different archive. */
const WRITING = 1

/** Pictures to download, with a key that may read their root. */
export function downloads(declare: Declare, { door, gone, images, makeArchive }: HttpContext): void {
  declare({
    id: 'getPicture',
    summary: 'Download one picture',
    description: 'The file is named after its page.',
    path: paths.getPicture,
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
    summary: 'Download the pictures of one root',
    description:
      'All finished pictures, as one ZIP archive of any size. Files are named by the number and the name of their page: ' +
      '`001-Home.png`. An archive that breaks off is not valid: programs report an error when they open it.',
    path: paths.getArchive,
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

/** Picture files, at their signed URLs. The signature is the permission. */
export function signedPictures(declare: Declare, { clock, gone, images }: HttpContext): void {
  declare({
    id: 'getImage',
    summary: 'Get a picture or its preview',
    description: 'Use the address in `data` or `preview` of a result, unchanged. It is signed and expires.',
    access: 'everyone',
    path: `${paths.images}*`,
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

/** The value of a `Content-Disposition` header (RFC 6266): an ASCII name for every client, and the exact name. */
export function attachment(fileName: string): string {
  const plain = fileName
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^\w.-]+/g, '-')
  const disposition = `attachment; filename="${plain}"`
  if (plain === fileName) return disposition
  const escaped = encodeURIComponent(fileName.toWellFormed()).replaceAll(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${disposition}; filename*=UTF-8''${escaped}`
}

/** Sends the picture, or the requested range of it. The caller sets the headers for caches. */
async function sendImage(
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

/**
 * The range of `size` bytes that a `Range` header asks for (RFC 9110, 14.1.2), both ends included. Undefined if it is not one
 * range of bytes: then the whole is sent. `unsatisfiable` if it is outside.
 */
export function parseRange(
  header: string | undefined,
  size: number,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  if (start >= size) return 'unsatisfiable'
  return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) }
}
