import { History } from '../../contract/browsing.ts'
import { historyPath, paths } from '../../contract/paths.ts'
import { createHistoryQuery, ProjectParams } from '../../contract/requests.ts'
import { askedForMuch } from '../answers/asked-for-much.ts'
import { nextListPage } from '../answers/next-list-page.ts'
import { listPageHeaders, notModified, problemResponses } from '../answers/responses.ts'
import { sendAnswer } from '../answers/send-answer.ts'
import type { HttpContext, Server } from '../context.ts'

export function listHistory(server: Server, context: HttpContext): void {
  const maxLimit = context.config.limits.listPage
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.listHistory,
    schema: {
      operationId: 'listHistory',
      tags: ['Browsing'],
      summary: 'List the screenshots of one page',
      description:
        'All of one address, newest first, from all roots. Those with the same `view` can be compared. ' +
        'With `fullPage` or `width`, only those requested in this way: a list page may then have fewer than ' +
        '`limit`, or none, and still have a `Link`. Continue while there is one.',
      params: ProjectParams,
      querystring: createHistoryQuery(maxLimit),
      response: {
        200: {
          description: 'The screenshots. None if the address is unknown.',
          headers: listPageHeaders,
          content: { 'application/json': { schema: History } },
        },
        304: notModified,
        ...problemResponses('bad_request', 'unauthorized', 'not_found', 'rate_limited', 'unavailable'),
      },
    },
    handler: async (request, reply) => {
      const { url, limit = maxLimit, cursor, fullPage, width } = request.query
      const asked = askedForMuch(request, reply, context)
      const project = await context.door.getProject(request.params, request.apiKey)
      const answer = await context.pages.history(project, { url, limit, cursor, fullPage, width }, asked)
      if (answer.nextCursor) {
        const address = asked.origin + historyPath(project.projectId)
        reply.header(
          'link',
          nextListPage(address, { url, limit, cursor: answer.nextCursor, fullPage, width }),
        )
      }
      return await sendAnswer(answer, request, reply, context)
    },
  })
}
