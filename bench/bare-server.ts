import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * The upper limit: `node:http` that answers with bytes from memory and with our headers. argv: files,
 * served at /0, /1, …; a request with If-None-Match gets a bare 304.
 */
const bodies = process.argv.slice(2).map((file) => readFileSync(file))
const server = createServer((request, response) => {
  if (request.headers['if-none-match'] !== undefined) {
    response.writeHead(304, {
      'x-request-id': '00000000-0000-4000-8000-000000000000',
      'x-content-type-options': 'nosniff',
      etag: 'W/"0123456789012345.0123456789012345"',
      'cache-control': 'private, no-cache',
    })
    response.end()
    return
  }
  const body = bodies[Number(request.url?.slice(1))] ?? Buffer.alloc(0)
  response.writeHead(200, {
    'x-request-id': '00000000-0000-4000-8000-000000000000',
    'x-content-type-options': 'nosniff',
    etag: 'W/"0123456789012345.0123456789012345"',
    'cache-control': 'private, no-cache',
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
  })
  response.end(body)
})
// As long as ours, and with the same header that says so.
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
