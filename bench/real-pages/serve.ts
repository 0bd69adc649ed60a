import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { RealPage } from './list.ts'
import { makeRealPages, mountOf } from './make.ts'

// Serves the pages on loopback, each package under a path of its own. Run by itself, it says where, and stays.

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.csv': 'text/csv',
  '.eot': 'application/vnd.ms-fontobject',
  '.gif': 'image/gif',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.ico': 'image/x-icon',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.mp4': 'video/mp4',
  '.ogv': 'video/ogg',
  '.otf': 'font/otf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.txt': 'text/plain; charset=utf-8',
  '.webm': 'video/webm',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml',
}

export interface RealSite {
  readonly port: number
  readonly pages: readonly RealPage[]
  urlOf(page: RealPage): string
  close(): Promise<void>
}

export async function serveRealPages(wanted?: readonly RealPage[]): Promise<RealSite> {
  const { folders, pages } = await makeRealPages(wanted)
  const mounts = Object.entries(folders)
  const server = createServer((asked, answer) => {
    send(mounts, asked, answer).catch(() => answer.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    pages,
    urlOf: (page) => `http://127.0.0.1:${port}${mountOf(page)}${page.path}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function send(
  mounts: readonly (readonly [string, string])[],
  asked: IncomingMessage,
  answer: ServerResponse,
): Promise<void> {
  // Nothing above the folder: what goes up is gone after this.
  const path = normalize(decodeURIComponent(new URL(asked.url ?? '/', 'http://site').pathname))
  const [mount, folder] = mounts.find(([prefix]) => path.startsWith(prefix)) ?? []
  const file = folder && mount ? join(folder, path.slice(mount.length)) : ''
  const size = await sizeOf(file)
  if (size === undefined) {
    answer.writeHead(404, { 'content-type': 'text/plain' }).end('There is no such file.')
    return
  }
  const head = { 'content-type': TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream' }
  // Video is asked for in parts.
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(asked.headers.range ?? '') ?? []
  const start = Number(from ?? 0)
  const end = Math.min(to ? Number(to) : size - 1, size - 1)
  const part = from === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }
  answer.writeHead(from === undefined ? 200 : 206, {
    ...head,
    ...part,
    'accept-ranges': 'bytes',
    'content-length': end - start + 1,
  })
  if (asked.method === 'HEAD' || size === 0) answer.end()
  else await pipeline(createReadStream(file, { start, end }), answer)
}

async function sizeOf(file: string): Promise<number | undefined> {
  try {
    const found = await stat(file)
    return found.isFile() ? found.size : undefined
  } catch {
    return undefined
  }
}

if (import.meta.main) {
  const site = await serveRealPages()
  for (const page of site.pages) process.stdout.write(`${site.urlOf(page)}\n`)
}
