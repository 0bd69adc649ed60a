import type { Server } from '../context.ts'
import { type ApiDocument, DOCS_CSP, renderDocs } from '../docs-page.ts'

/** `/openapi.json`, made from the schemas that validate, and `/docs`, the same for people. */
export function documentation(server: Server): void {
  server.route({
    method: ['GET', 'HEAD'],
    url: '/openapi.json',
    schema: { hide: true },
    handler: async (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(JSON.stringify(server.swagger())),
  })
  server.route({
    method: ['GET', 'HEAD'],
    url: '/docs',
    schema: { hide: true },
    handler: async (_request, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', DOCS_CSP)
        .send(renderDocs(server.swagger() as ApiDocument)),
  })
}
