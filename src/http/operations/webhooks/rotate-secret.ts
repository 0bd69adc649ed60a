import { paths } from '../../../contract/paths.ts'
import { WebhookParams } from '../../../contract/requests.ts'
import { logAct } from '../../answers/log-act.ts'
import type { HttpContext, Server } from '../../context.ts'
import type { ReadJson } from '../../rules/read-json.ts'
import { BODY_PROBLEMS, sendWebhook, TAGS, webhookProblems, webhookResponse } from './webhook-answer.ts'

export function rotateSecret(server: Server, readJson: ReadJson, { door, webhooks }: HttpContext): void {
  server.route({
    method: 'POST',
    url: paths.rotateSecret,
    config: { access: 'write', isPaced: true },
    schema: {
      operationId: 'rotateSecret',
      tags: TAGS,
      summary: 'Give a webhook a new secret',
      description: 'For 24 hours the old secret signs deliveries, too, so that the receiver can change over.',
      params: WebhookParams,
      response: {
        200: webhookResponse('The webhook, with its new secret. The secret is not shown again.'),
        ...webhookProblems(...BODY_PROBLEMS),
      },
    },
    handler: async (request, reply) => {
      await readJson(request, reply, () => undefined, { absent: {} })
      const webhook = await door.getWebhook(request.params, request.apiKey)
      const changed = await webhooks.rotateSecret(webhook)
      const { projectId, webhookId } = webhook
      logAct(request, 'secret of a webhook changed', { projectId, webhookId })
      return await sendWebhook(reply, changed)
    },
  })
}
