import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { need } from '../../errors.ts'
import { filesOf } from '../../images/images.ts'
import { acceptsGzip } from '../answers/compression.ts'
import { findMissingBrowser } from '../answers/no-browser.ts'
import { matchesEtag } from '../answers/send-answer.ts'
import type { HttpContext } from '../context.ts'
import type { Declare } from '../operation.ts'
import { originOf } from '../rules/origin.ts'

/** The same path in a checkout and in the package. */
const FOLDER = new URL('../../../dist/gallery/', import.meta.url)

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

const NOT_BUILT =
  'The gallery is not built in this checkout. `npm start` builds it, and so does `npm run build`; the API works without it.\n'
const FOREVER = 'public, max-age=31536000, immutable'

interface GalleryFile {
  readonly type: string
  readonly bytes: Buffer
  /** Undefined if compression saves too little. */
  readonly gzipped: Buffer | undefined
}

/** The files of the built web page, by path. Undefined if it was not built. */
export async function readGallery(): Promise<ReadonlyMap<string, GalleryFile> | undefined> {
  const names: string[] = await readdir(FOLDER, { recursive: true }).catch(() => [])
  const read = (name: string) => readFile(new URL(name, FOLDER))
  const files = new Map<string, GalleryFile>()
  for (const name of names) {
    const type = TYPES[extname(name)]
    if (type === undefined) continue
    const gzipped = names.includes(`${name}.gz`) ? await read(`${name}.gz`) : undefined
    files.set(name, { type, bytes: await read(name), gzipped })
  }
  return files.has('index.html') ? files : undefined
}

/** The web page: one document for all its routes, and its files. They need no key: they contain no results. */
export function gallery(declare: Declare, context: HttpContext): void {
  let reading: ReturnType<typeof readGallery> | undefined
  const files = async () => {
    reading ??= readGallery()
    // In a checkout it may be built at any time, and files may disappear while they are read. So failures are not kept.
    const found = await reading.catch(() => undefined)
    if (!found) reading = undefined
    return found
  }
  const page = async (request: FastifyRequest, reply: FastifyReply) => {
    const document = (await files())?.get('index.html')
    if (!document) return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT)
    const html = await fillIn(document, context)
    const etag = `"${createHash('sha256').update(html).digest('base64url').slice(0, 16)}"`
    reply
      .header('cache-control', 'no-cache')
      .header('etag', etag)
      .header('content-security-policy', await policy(request, context))
      .header('referrer-policy', 'no-referrer')
      .header('cross-origin-opener-policy', 'same-origin')
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.type(document.type).send(html)
  }
  for (const path of ['/', '/projects/*', '/sign-in', '/admin'])
    declare({ path, access: 'everyone', run: page })
  declare({
    path: '/assets/:name',
    access: 'everyone',
    async run(request, reply) {
      const { name } = request.params as { name: string }
      const file = need((await files())?.get(`assets/${name}`))
      // Its name contains a hash: other content has another name.
      const vary = [reply.getHeader('vary') ?? [], 'accept-encoding'].flat().join(', ')
      reply.type(file.type).header('cache-control', FOREVER).header('vary', vary)
      const zipped = acceptsGzip(String(request.headers['accept-encoding'] ?? '')) ? file.gzipped : undefined
      return zipped ? reply.header('content-encoding', 'gzip').send(zipped) : reply.send(file.bytes)
    },
  })
  // Scripts that were written for Websiteshot print addresses of its web page. They lead to the same root in the gallery.
  declare({
    path: '/projects/:projectId/screenshots/:jobId',
    access: 'everyone',
    async run(request, reply) {
      const { jobId } = request.params as { jobId: string }
      // Dots alone would lead to another place.
      const step = encodeURIComponent(jobId).replace(/^\.\.?$/, '-')
      // A relative address is also right behind a proxy that adds a path.
      return await reply.code(302).header('location', `../roots/${step}`).send()
    },
  })
}

/** Fills in the settings that the web page needs before its first request. */
async function fillIn({ bytes }: GalleryFile, { config, findBrowser }: HttpContext): Promise<string> {
  const missing = (await findMissingBrowser({ findBrowser })) ?? ''
  const base =
    config.publicUrl === undefined ? '/' : `${new URL(config.publicUrl).pathname.replace(/\/$/, '')}/`
  return bytes
    .toString()
    .replace('%auth%', config.auth === 'keys' ? 'keys' : 'open')
    .replace('%page-limit%', `${config.limits.listPage}`)
    .replace('%no-browser%', () => missing.replaceAll('"', ''))
    .replace('%base%', () => base)
}

/** Allows only the files of the web page, the API and the pictures. */
async function policy(request: FastifyRequest, context: HttpContext): Promise<string> {
  const { images, clock } = context
  const addresses = await images.addresses({ now: clock(), origin: originOf(request, context) })
  const pictures = new URL(addresses.address(filesOf('-', { picture: '-' }).picture)).origin
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    `img-src 'self' ${pictures}`,
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
