import { OVERVIEW_JOBS, OverviewList } from '../../contract/browsing.ts'
import { overviewsPath, paths } from '../../contract/paths.ts'
import { createOverviewsQuery, ProjectParams } from '../../contract/requests.ts'
import { startOf } from '../../results/root-list-pages.ts'
import { toSought } from '../../results/search.ts'
import { askedForMuch } from '../answers/asked-for-much.ts'
import { nextListPage } from '../answers/next-list-page.ts'
import { linkHeaders, problemResponses } from '../answers/responses.ts'
import { sendAnswer } from '../answers/send-answer.ts'
import type { HttpContext, Server } from '../context.ts'

export function listOverviews(server: Server, context: HttpContext): void {
  const maxLimit = context.config.limits.listPage
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.listOverviews,
    schema: {
      operationId: 'listOverviews',
      tags: ['Browsing'],
      summary: 'List the roots of a project at a glance',
      description:
        `Newest first: the state of each, its first ${OVERVIEW_JOBS} screenshots and its first ${OVERVIEW_JOBS} failures. ` +
        'A root must match all parameters. With `q`, `tag`, `template`, `state` or `mark`, a list page ' +
        'may have fewer than `limit`, or none, and still a `Link`: continue while there is one.',
      params: ProjectParams,
      querystring: createOverviewsQuery(maxLimit),
      response: {
        200: {
          description: 'The overviews.',
          headers: linkHeaders,
          content: { 'application/json': { schema: OverviewList } },
        },
        ...problemResponses('bad_request', 'unauthorized', 'not_found', 'rate_limited', 'unavailable'),
      },
    },
    handler: async (request, reply) => {
      const { limit = maxLimit, cursor, q, tag, template, state, mark, from, to } = request.query
      const asked = askedForMuch(request, reply, context)
      const after = startOf({ cursor, to })
      const project = await context.door.getProject(request.params, request.apiKey)
      const answer = await context.overviews.list(
        project,
        { limit, after, from, sought: toSought({ q, tag, template, mark, states: state }) },
        asked,
      )
      if (answer.nextCursor) {
        const address = asked.origin + overviewsPath(project.projectId)
        const question = { limit, cursor: answer.nextCursor, q, tag, template, state, mark, from, to }
        reply.header('link', nextListPage(address, question))
      }
      return await sendAnswer(answer, request, reply, context)
    },
  })
}
