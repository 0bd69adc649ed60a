import { paths } from '../../../contract/paths.ts'
import { WebhookParams } from '../../../contract/requests.ts'
import { logAct } from '../../answers/log-act.ts'
import type { HttpContext, Server } from '../../context.ts'
import { clientOf } from '../../rules/client-of.ts'
import type { ReadJson } from '../../rules/read-json.ts'
import { BODY_PROBLEMS, deliveryResponse, TAGS, webhookProblems } from './webhook-answer.ts'

export function testWebhook(
  server: Server,
  readJson: ReadJson,
  { door, turns, webhooks }: HttpContext,
): void {
  server.route({
    method: 'POST',
    url: paths.testWebhook,
    config: { access: 'write', isPaced: true },
    schema: {
      operationId: 'testWebhook',
      tags: TAGS,
      summary: 'Test a webhook',
      description: 'Sends `webhook.test` at once. The list of deliveries says what came of it.',
      params: WebhookParams,
      response: {
        202: deliveryResponse('The delivery. It is under way.'),
        ...webhookProblems('conflict', ...BODY_PROBLEMS),
      },
    },
    handler: async (request, reply) => {
      await readJson(request, reply, () => undefined, { absent: {} })
      const webhook = await door.getWebhook(request.params, request.apiKey)
      const delivery = await turns.run(clientOf(request), () => webhooks.test(webhook))
      const { projectId, webhookId } = webhook
      logAct(request, 'webhook tested', { projectId, webhookId })
      return await reply.code(202).header('cache-control', 'no-store').send(delivery)
    },
  })
}
