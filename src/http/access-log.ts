import type { Server } from './context.ts'

/** One line a request. The query stays out: it may hold a signature. */
export function logRequests(server: Server): void {
  server.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ...(request.apiKey && { key: request.apiKey.keyId }),
      },
      'request',
    )
  })
}
