import { PageList } from '../../contract/browsing.ts'
import { pagesPath, paths } from '../../contract/paths.ts'
import { createPagesQuery, ProjectParams } from '../../contract/requests.ts'
import { askedForMuch } from '../answers/asked-for-much.ts'
import { nextListPage } from '../answers/next-list-page.ts'
import { listPageHeaders, notModified, problemResponses } from '../answers/responses.ts'
import { sendAnswer } from '../answers/send-answer.ts'
import type { HttpContext, Server } from '../context.ts'

export function listPages(server: Server, context: HttpContext): void {
  const maxLimit = context.config.limits.listPage
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.listPages,
    schema: {
      operationId: 'listPages',
      tags: ['Browsing'],
      summary: 'List the pages of a project',
      description:
        'Each address once, in the order of their bytes. Addresses that share their first 500 characters may be in ' +
        'another order. With `q`, only those whose address or newest name contains the text: a list page ' +
        'may then have fewer than `limit`, or none, and still have a `Link`. Continue while there is one.',
      params: ProjectParams,
      querystring: createPagesQuery(maxLimit),
      response: {
        200: {
          description: 'The pages.',
          headers: listPageHeaders,
          content: { 'application/json': { schema: PageList } },
        },
        304: notModified,
        ...problemResponses('bad_request', 'unauthorized', 'not_found', 'rate_limited', 'unavailable'),
      },
    },
    handler: async (request, reply) => {
      const { limit = maxLimit, cursor, q } = request.query
      const asked = askedForMuch(request, reply, context)
      const project = await context.door.getProject(request.params, request.apiKey)
      const answer = await context.pages.list(project, { limit, cursor, q }, asked)
      if (answer.nextCursor) {
        const address = asked.origin + pagesPath(project.projectId)
        reply.header('link', nextListPage(address, { limit, cursor: answer.nextCursor, q }))
      }
      return await sendAnswer(answer, request, reply, context)
    },
  })
}
