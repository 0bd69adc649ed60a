import type { ApiDocument } from '../answers/docs-page.ts'
import { DOCS_CSP, renderDocs } from '../answers/docs-page.ts'
import type { Server } from '../context.ts'
import type { Declare } from '../operation.ts'

/** `/openapi.json`, and the same for people. Making them takes a tenth of a second, so it is done once, before anyone asks. */
export function documentation(declare: Declare, server: Server, describe: () => ApiDocument): void {
  const made: { json?: Buffer; page?: Buffer } = {}
  server.addHook('onReady', async () => {
    const document = describe()
    made.json = Buffer.from(JSON.stringify(document))
    made.page = Buffer.from(renderDocs(document))
  })
  declare({
    path: '/openapi.json',
    leadsToSignIn: true,
    run: async (_request, reply) => reply.type('application/json; charset=utf-8').send(made.json),
  })
  declare({
    path: '/docs',
    leadsToSignIn: true,
    run: async (_request, reply) =>
      reply.type('text/html; charset=utf-8').header('content-security-policy', DOCS_CSP).send(made.page),
  })
}
