import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The limit: `node:http` that answers with bytes it has in memory. argv: files, served at /0, /1, … */
const bodies = process.argv.slice(2).map((file) => readFileSync(file))
const server = createServer((request, response) => {
  const body = bodies[Number(request.url?.slice(1))] ?? Buffer.alloc(0)
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'private, no-cache',
    etag: 'W/"0123456789012345678901"',
    'x-content-type-options': 'nosniff',
    'x-request-id': '00000000-0000-4000-8000-000000000000',
  })
  response.end(body)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
