import { paths } from '../../../contract/paths.ts'
import { WebhookParams } from '../../../contract/requests.ts'
import { Type } from '../../../contract/schema.ts'
import { logAct } from '../../answers/log-act.ts'
import type { HttpContext, Server } from '../../context.ts'
import { expectedRevision, ifMatchHeader } from '../../rules/if-match.ts'
import { TAGS, webhookProblems } from './webhook-answer.ts'

export function removeWebhook(server: Server, { door, webhooks }: HttpContext): void {
  server.route({
    method: 'DELETE',
    url: paths.webhook,
    config: { access: 'write' },
    schema: {
      operationId: 'removeWebhook',
      tags: TAGS,
      summary: 'Remove a webhook',
      description: 'With its secret and its deliveries. Pending ones are not sent any more.',
      params: WebhookParams,
      headers: ifMatchHeader,
      response: {
        204: Type.Null({ description: 'It is removed.' }),
        ...webhookProblems('precondition_failed'),
      },
    },
    handler: async (request, reply) => {
      const before = await door.getWebhook(request.params, request.apiKey)
      const { projectId, webhookId } = before
      await webhooks.remove(before, expectedRevision(request, before))
      logAct(request, 'webhook removed', { projectId, webhookId })
      return await reply.code(204).send(null)
    },
  })
}
