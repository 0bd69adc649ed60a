import { paths } from '../../../contract/paths.ts'
import { WebhookParams } from '../../../contract/requests.ts'
import { show } from '../../../webhooks/webhooks.ts'
import type { HttpContext, Server } from '../../context.ts'
import { sendWebhook, TAGS, webhookProblems, webhookResponse } from './webhook-answer.ts'

export function getWebhook(server: Server, { door }: HttpContext): void {
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.webhook,
    config: { access: 'write' },
    schema: {
      operationId: 'getWebhook',
      tags: TAGS,
      summary: 'Get one webhook',
      description: 'With `off` if the service has switched it off. Needs a key with the scope `write`.',
      params: WebhookParams,
      response: { 200: webhookResponse('The webhook, without its secret.'), ...webhookProblems() },
    },
    handler: async (request, reply) =>
      await sendWebhook(reply, show(await door.getWebhook(request.params, request.apiKey))),
  })
}
