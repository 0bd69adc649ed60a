import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from '../node-http.ts'

/** This host will never exist (RFC 2606). The camera is told where to find it. */
const HOST = 'fernweh.example'
/** The same path from `src/` and from `dist/`. */
const FILES = new URL('../../assets/demo/site/', import.meta.url)

export const pages = ['home', 'pricing', 'docs', 'blog'] as const
export type PageName = (typeof pages)[number]

/** A design of the site: a folder of pages and a style. */
export type Look = 'first' | 'clean' | 'bold' | 'night'

export function addressOf(page: PageName): string {
  return `http://${HOST}${pathOf(page)}`
}

export function pathOf(page: PageName): string {
  return page === 'home' ? '/' : `/${page}`
}

/** Serves the site on a free port of 127.0.0.1, by default in its newest look. */
export async function serveSite(look: Look = 'night') {
  const server = createServer(async (request, response) => {
    const address = URL.parse(request.url ?? '/', `http://${HOST}`)
    if (address?.pathname === '/style.css') {
      return await answer(response, 200, 'text/css', `${look}/style.css`)
    }
    const page = pages.find((known) => pathOf(known) === address?.pathname)
    await answer(response, page ? 200 : 404, 'text/html', `${look}/${page ?? 'not-found'}.html`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    /** For the camera: the address of the site's name. */
    fixedAddresses: new Map([[HOST, { address: '127.0.0.1', port }]]),
    async close() {
      await new Promise((resolve) => server.close(resolve).closeAllConnections())
    },
  }
}

async function answer(response: ServerResponse, status: number, type: string, file: string): Promise<void> {
  const body = await readFile(new URL(file, FILES)).catch(() => undefined)
  if (!body) return void response.destroy()
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store' })
  response.end(body)
}
