import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from '../../node-http.ts'
import {
  type Look,
  looks,
  type PageName,
  pages,
  pathOf,
  renderNotFound,
  renderPage,
  renderStyle,
} from './site.ts'

/** This host will never exist (RFC 2606). The camera is told where to find it. */
const HOST = 'fernweh.example'

export function addressOf(page: PageName): string {
  return `http://${HOST}${pathOf(page)}`
}

export interface DemoSite {
  readonly port: number
  /** For the camera: the address of the site's name. */
  readonly fixedAddresses: ReadonlyMap<string, { readonly address: string; readonly port: number }>
  /** Changes the look of the site. */
  show(look: Look): void
  close(): Promise<void>
}

/** Serves the site on a free port of 127.0.0.1, in its newest look. */
export async function serveSite(): Promise<DemoSite> {
  let current: Look = looks[3]
  const server = createServer((request, response) => {
    const address = URL.parse(request.url ?? '/', `http://${HOST}`)
    if (address?.pathname === '/style.css') {
      // A page that was loaded before the look changed needs its old style.
      const name = address.searchParams.get('look')
      const look = [current, ...looks].find((known) => known.name === name) ?? current
      return answer(response, 200, 'text/css', renderStyle(look))
    }
    const page = pages.find((known) => pathOf(known) === address?.pathname)
    if (page === undefined) return answer(response, 404, 'text/html', renderNotFound(current))
    answer(response, 200, 'text/html', renderPage(page, current))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    fixedAddresses: new Map([[HOST, { address: '127.0.0.1', port }]]),
    show(look) {
      current = look
    },
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

function answer(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store' })
  response.end(body)
}
