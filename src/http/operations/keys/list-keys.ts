import { KeyList } from '../../../contract/access.ts'
import { parseId } from '../../../contract/ids.ts'
import { paths } from '../../../contract/paths.ts'
import { createKeysQuery } from '../../../contract/requests.ts'
import { nextListPage } from '../../answers/next-list-page.ts'
import { linkHeaders, problemResponses } from '../../answers/responses.ts'
import type { HttpContext, Server } from '../../context.ts'
import { originOf } from '../../rules/origin.ts'
import { toKey } from './to-key.ts'

export function listKeys(server: Server, context: HttpContext): void {
  const maxLimit = context.config.limits.listPage
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.keys,
    config: { access: 'admin' },
    schema: {
      operationId: 'listKeys',
      tags: ['Access'],
      summary: 'List the keys',
      description:
        'Oldest first, also those that were revoked. The keys themselves are not stored. Needs a key with the scope `admin`.',
      querystring: createKeysQuery(maxLimit),
      response: {
        200: {
          description: 'The keys.',
          headers: linkHeaders,
          content: { 'application/json': { schema: KeyList } },
        },
        ...problemResponses('bad_request', 'unauthorized', 'forbidden', 'rate_limited', 'unavailable'),
      },
    },
    handler: async (request, reply) => {
      const { limit = maxLimit, cursor, project } = request.query
      reply.header('cache-control', 'no-store')
      const projectId = project === undefined ? undefined : parseId(project)
      // What is no id is the id of no project.
      if (project !== undefined && projectId === undefined) return await reply.send([])
      const { keys, nextCursor } = await context.administration.listKeys({ projectId, limit, cursor })
      if (nextCursor) {
        const address = originOf(request, context) + paths.keys
        reply.header('link', nextListPage(address, { project, limit, cursor: nextCursor }))
      }
      return await reply.send(keys.map(toKey))
    },
  })
}
