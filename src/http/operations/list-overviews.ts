import { OVERVIEW_JOBS, OverviewList } from '../../contract/browsing.ts'
import { overviewsPath, paths } from '../../contract/paths.ts'
import { createOverviewsQuery, ProjectParams } from '../../contract/requests.ts'
import { toRootFilter } from '../../results/search.ts'
import type { HttpContext, Server } from '../context.ts'
import { nextPage } from '../next-page.ts'
import { originOf } from '../origin.ts'
import { linkHeaders, problemResponses } from '../responses.ts'
import { sendAnswer } from '../send-answer.ts'

export function listOverviews(server: Server, context: HttpContext): void {
  const maxLimit = context.config.limits.page
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.listOverviews,
    schema: {
      operationId: 'listOverviews',
      tags: ['Browsing'],
      summary: 'List the roots of a project at a glance',
      description:
        `Newest first: how far each is, and its first ${OVERVIEW_JOBS} screenshots, however many it has. With \`q\` or ` +
        '`tag`, a page may hold fewer than `limit`, even none, with a `Link` all the same: go on while there is one.',
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
      const { projectId } = request.params
      const { limit = maxLimit, cursor, q, tag } = request.query
      const origin = originOf(request, context)
      const asked = { now: context.clock(), origin, isGone: () => reply.raw.destroyed }
      const answer = await context.overviews.list(
        projectId,
        { limit, cursor, filter: toRootFilter({ q, tag }) },
        asked,
      )
      if (answer.nextCursor) {
        const address = origin + overviewsPath(projectId.toLowerCase())
        reply.header('link', nextPage(address, { limit, cursor: answer.nextCursor, q, tag }))
      }
      return await sendAnswer(answer, request, reply, context)
    },
  })
}
