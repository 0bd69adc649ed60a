import type { Server } from '../context.ts'
import type { Connections } from './connections.ts'

/** The part of an address that is logged. It ends before a signature, even if the `?` is escaped. */
const PLAIN_PATH = /^[\w\-./~:@]*/

/** One line for each request, also if the client has gone before the end of the answer. */
export function logRequests(server: Server, connections: Connections): void {
  // Lines that would not be written are not made.
  if (!['trace', 'debug', 'info'].includes(server.log.level)) return
  connections.whenOver((request, reply) => {
    const line = {
      reqId: request.id,
      method: request.method,
      path: PLAIN_PATH.exec(request.url)?.[0],
      status: reply.statusCode,
      ms: Math.round((performance.now() - request.arrived) * 10) / 10,
      ...(request.apiKey && { key: request.apiKey.keyId }),
      ...(!reply.raw.writableFinished && { aborted: true }),
    }
    server.log.info(line, 'request')
  })
}
