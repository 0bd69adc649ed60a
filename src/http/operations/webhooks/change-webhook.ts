import { paths } from '../../../contract/paths.ts'
import { WebhookParams } from '../../../contract/requests.ts'
import { logAct } from '../../answers/log-act.ts'
import type { HttpContext, Server } from '../../context.ts'
import { expectedRevision, ifMatchHeader } from '../../rules/if-match.ts'
import type { ReadJson } from '../../rules/read-json.ts'
import { BODY_PROBLEMS, sendWebhook, TAGS, webhookProblems, webhookResponse } from './webhook-answer.ts'

export function changeWebhook(server: Server, readJson: ReadJson, { door, webhooks }: HttpContext): void {
  server.route({
    method: 'PUT',
    url: paths.webhook,
    config: { access: 'write' },
    schema: {
      operationId: 'changeWebhook',
      tags: TAGS,
      summary: 'Change a webhook',
      description:
        'Replaces all settings; the secret stays. Switches it on again, if the service had switched it off. What happened while it ' +
        'was paused or off is not delivered, unless it is replayed.',
      params: WebhookParams,
      headers: ifMatchHeader,
      body: { $ref: 'WebhookRequest#' },
      response: {
        200: webhookResponse('The changed webhook.'),
        ...webhookProblems('precondition_failed', ...BODY_PROBLEMS),
      },
    },
    handler: async (request, reply) => {
      const body = await readJson(request, reply, (any) => any)
      const before = await door.getWebhook(request.params, request.apiKey)
      const { projectId, webhookId } = before
      const changed = await webhooks.change(before, body, expectedRevision(request, before))
      logAct(request, 'webhook changed', { projectId, webhookId })
      return await sendWebhook(reply, changed)
    },
  })
}
