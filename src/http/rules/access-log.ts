import type { Server } from '../context.ts'
import type { Connections } from './connections.ts'

/** What an address may hold before anything that could be a signature, however its `?` is spelled. */
const PLAIN_PATH = /^[\w\-./~:@]*/

/** One line a request, also for an answer that was given up. */
export function logRequests(server: Server, connections: Connections): void {
  // Where it is not written it need not be made.
  if (!['trace', 'debug', 'info'].includes(server.log.level)) return
  connections.whenOver((request, reply) => {
    const line = {
      reqId: request.id,
      method: request.method,
      path: PLAIN_PATH.exec(request.url)?.[0],
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ...(request.apiKey && { key: request.apiKey.keyId }),
      ...(!reply.raw.writableFinished && { aborted: true }),
    }
    server.log.info(line, 'request')
  })
}
