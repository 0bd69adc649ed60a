import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Look, looks, pages, pathOf, renderNotFound, renderPage, renderStyle } from './site.ts'

/** Serves the site on a free port of 127.0.0.1, at first in its oldest look. `show` may be called while it runs. */
export async function serveSite(): Promise<{
  readonly port: number
  show(look: Look): void
  close(): Promise<void>
}> {
  let current: Look = looks[0]
  const server = createServer((request, response) => {
    const address = URL.parse(request.url ?? '/', 'http://fernweh.example')
    if (address?.pathname === '/style.css') {
      // A page that came before the look changed asks for the style it was made for.
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
  return {
    port: (server.address() as AddressInfo).port,
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
