import { DOCS_CSP, renderDocs } from '../answers/docs-page.ts'
import { describeApi } from '../answers/openapi.ts'
import type { Server } from '../context.ts'

/**
 * `/openapi.json`, made from the schemas of the operations, and `/docs`, the same for people. Making them takes a tenth of a second,
 * so it is done once, before anyone asks.
 */
export function documentation(server: Server): void {
  const made: { json?: Buffer; page?: Buffer } = {}
  server.addHook('onReady', async () => {
    const document = describeApi(server)
    made.json = Buffer.from(JSON.stringify(document))
    made.page = Buffer.from(renderDocs(document))
  })
  server.route({
    method: ['GET', 'HEAD'],
    url: '/openapi.json',
    config: { leadsToSignIn: true },
    schema: { hide: true },
    handler: async (_request, reply) => reply.type('application/json; charset=utf-8').send(made.json),
  })
  server.route({
    method: ['GET', 'HEAD'],
    url: '/docs',
    config: { leadsToSignIn: true },
    schema: { hide: true },
    handler: async (_request, reply) =>
      reply.type('text/html; charset=utf-8').header('content-security-policy', DOCS_CSP).send(made.page),
  })
}
