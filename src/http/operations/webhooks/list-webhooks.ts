import { paths, pathTo } from '../../../contract/paths.ts'
import { createProjectsQuery, ProjectParams } from '../../../contract/requests.ts'
import { WebhookList } from '../../../contract/webhooks.ts'
import { nextListPage } from '../../answers/next-list-page.ts'
import { linkHeaders } from '../../answers/responses.ts'
import type { HttpContext, Server } from '../../context.ts'
import { clientOf } from '../../rules/client-of.ts'
import { originOf } from '../../rules/origin.ts'
import { TAGS, webhookProblems } from './webhook-answer.ts'

export function listWebhooks(server: Server, context: HttpContext): void {
  const maxLimit = context.config.limits.listPage
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.webhooks,
    config: { access: 'write' },
    schema: {
      operationId: 'listWebhooks',
      tags: TAGS,
      summary: 'List the webhooks of a project',
      description: 'Oldest first. Needs a key with the scope `write`, as everything about webhooks.',
      params: ProjectParams,
      querystring: createProjectsQuery(maxLimit),
      response: {
        200: {
          description: 'The webhooks, without their secrets.',
          headers: linkHeaders,
          content: { 'application/json': { schema: WebhookList } },
        },
        ...webhookProblems('bad_request'),
      },
    },
    handler: async (request, reply) => {
      const { limit = maxLimit, cursor } = request.query
      const { projectId } = await context.door.getProject(request.params, request.apiKey)
      const { webhooks, nextCursor } = await context.turns.run(clientOf(request), () =>
        context.webhooks.list(projectId, { limit, cursor }),
      )
      if (nextCursor) {
        const address = originOf(request, context) + pathTo(paths.webhooks, projectId)
        reply.header('link', nextListPage(address, { limit, cursor: nextCursor }))
      }
      return await reply.header('cache-control', 'no-store').send(webhooks)
    },
  })
}
