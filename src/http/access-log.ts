import { whenOver } from './connections.ts'
import type { Server } from './context.ts'

/** What an address may hold before anything that could be a signature, however its `?` is spelled. */
const PLAIN_PATH = /^[\w\-./~:@]*/

/** One line a request, also for an answer that was given up. */
export function logRequests(server: Server): void {
  server.addHook('onRequest', (request, reply, done) => {
    whenOver(reply, () => {
      const line = {
        method: request.method,
        path: PLAIN_PATH.exec(request.url)?.[0],
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ...(request.apiKey && { key: request.apiKey.keyId }),
        ...(!reply.raw.writableFinished && { aborted: true }),
      }
      request.log.info(line, 'request')
    })
    done()
  })
}
