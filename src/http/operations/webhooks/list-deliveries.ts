import { paths, pathTo } from '../../../contract/paths.ts'
import { createDeliveriesQuery, WebhookParams } from '../../../contract/requests.ts'
import { DeliveryList } from '../../../contract/webhooks.ts'
import { nextListPage } from '../../answers/next-list-page.ts'
import { linkHeaders } from '../../answers/responses.ts'
import type { HttpContext, Server } from '../../context.ts'
import { clientOf } from '../../rules/client-of.ts'
import { originOf } from '../../rules/origin.ts'
import { TAGS, webhookProblems } from './webhook-answer.ts'

export function listDeliveries(server: Server, context: HttpContext): void {
  const maxLimit = context.config.limits.listPage
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.deliveries,
    config: { access: 'write' },
    schema: {
      operationId: 'listDeliveries',
      tags: TAGS,
      summary: 'List the deliveries of a webhook',
      description:
        'Newest first, with the status and the first bytes of the last answer. They are forgotten after a while (`KEEP_DELIVERIES`).',
      params: WebhookParams,
      querystring: createDeliveriesQuery(maxLimit),
      response: {
        200: {
          description: 'The deliveries.',
          headers: linkHeaders,
          content: { 'application/json': { schema: DeliveryList } },
        },
        ...webhookProblems('bad_request'),
      },
    },
    handler: async (request, reply) => {
      const { limit = maxLimit, cursor, state } = request.query
      const webhook = await context.door.getWebhook(request.params, request.apiKey)
      const page = { limit, cursor, state }
      const { deliveries, nextCursor } = await context.turns.run(clientOf(request), () =>
        context.webhooks.listDeliveries(webhook, page),
      )
      if (nextCursor) {
        const path = pathTo(paths.deliveries, webhook.projectId, webhook.webhookId)
        const address = originOf(request, context) + path
        reply.header('link', nextListPage(address, { limit, cursor: nextCursor, state }))
      }
      return await reply.header('cache-control', 'no-store').send(deliveries)
    },
  })
}
