import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// The least that a server on Node can do under the same attacks: `node:http` with bytes from memory, no store, no keys.
// What it misses, nothing on this machine can meet.

const ROOT = Buffer.from(JSON.stringify({ jobs: 'x'.repeat(8_000) }))
/** As much as the system takes for a client that reads nothing. */
const LARGE = Buffer.alloc(65_536, 'x')
const SMALL = /\/healthz$|\/screenshots\/root\/[0-9a-f-]{36}$/

const server = createServer((request, response) => {
  // The body is not read: it waits in the buffers of the system.
  if (request.method === 'POST') return
  const body = SMALL.test(request.url ?? '') ? ROOT : LARGE
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  response.end(body)
})
server.keepAliveTimeout = 60_000
server.requestTimeout = 0
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.once('SIGTERM', () => process.exit(0))
