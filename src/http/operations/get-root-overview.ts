import { OVERVIEW_JOBS } from '../../contract/browsing.ts'
import { paths } from '../../contract/paths.ts'
import { RootParams } from '../../contract/requests.ts'
import { problemResponses } from '../answers/responses.ts'
import { sendAnswer } from '../answers/send-answer.ts'
import type { HttpContext, Server } from '../context.ts'
import { originOf } from '../rules/origin.ts'

export function getRootOverview(server: Server, context: HttpContext): void {
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.getRootOverview,
    schema: {
      operationId: 'getRootOverview',
      tags: ['Browsing'],
      summary: 'Get one root at a glance',
      description: `Its state, and its first ${OVERVIEW_JOBS} screenshots.`,
      params: RootParams,
      response: {
        200: {
          description: 'The overview.',
          content: { 'application/json': { schema: { $ref: 'RootOverview#' } } },
        },
        ...problemResponses('unauthorized', 'not_found', 'rate_limited', 'unavailable'),
      },
    },
    handler: async (request, reply) => {
      const asked = { now: context.clock(), origin: originOf(request, context) }
      const root = await context.door.getRoot(request.params, request.apiKey)
      return await sendAnswer(context.overviews.get(root, asked), request, reply, context)
    },
  })
}
