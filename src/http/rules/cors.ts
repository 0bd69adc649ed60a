import cors from '@fastify/cors'
import type { Server } from '../context.ts'

/** Lets pages of these origins read. Call before keys are asked for: a browser's preflight carries none. */
export async function allowOrigins(server: Server, origins: readonly string[]): Promise<void> {
  await server.register(cors, {
    origin: [...origins],
    methods: ['GET', 'HEAD'],
    // Any other OPTIONS is a request like every other, with a 401 or a 405 for its answer.
    strictPreflight: false,
    preflightContinue: true,
    exposedHeaders: ['etag', 'link', 'x-request-id', 'ratelimit', 'ratelimit-policy', 'retry-after'],
  })
  server.addHook('onRequest', async ({ method, headers }, reply) => {
    const preflight = method === 'OPTIONS' && headers.origin && headers['access-control-request-method']
    return preflight ? await reply.code(204).send() : undefined
  })
}
