import cors from '@fastify/cors'
import type { Server } from '../context.ts'

/** Allows web pages of these origins to read. Call before keys are asked for: a preflight has no key. */
export async function allowOrigins(server: Server, origins: readonly string[]): Promise<void> {
  await server.register(cors, {
    origin: [...origins],
    methods: ['GET', 'HEAD'],
    // Any other OPTIONS request is answered like every request: 401 or 405.
    strictPreflight: false,
    preflightContinue: true,
    exposedHeaders: ['etag', 'link', 'x-request-id', 'ratelimit', 'ratelimit-policy', 'retry-after'],
  })
  server.addHook('onRequest', async ({ method, headers }, reply) => {
    const preflight = method === 'OPTIONS' && headers.origin && headers['access-control-request-method']
    return preflight ? await reply.code(204).send() : undefined
  })
}
