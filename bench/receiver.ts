import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// A receiver of webhooks in a process of its own. It answers at once, and never at /hang.

export interface Received {
  readonly count: number
  /** Milliseconds from the first request to the last. */
  readonly ms: number
  readonly connections: number
}

let [count, first, last, connections] = [0, 0, 0, 0]
const server = createServer((request, response) => {
  request.resume()
  request.once('end', () => {
    if (request.url === '/hang') return
    last = performance.now()
    if (count++ === 0) first = last
    response.writeHead(204).end()
  })
})
server.on('connection', () => connections++)
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
)
process.on('message', (order: 'tell' | 'anew') => {
  if (order === 'anew') [count, connections] = [0, 0]
  process.send?.({ count, ms: last - first, connections } satisfies Received)
})
process.on('disconnect', () => process.exit())
