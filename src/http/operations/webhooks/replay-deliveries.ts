import { paths } from '../../../contract/paths.ts'
import { WebhookParams } from '../../../contract/requests.ts'
import { Replayed, ReplayRequest } from '../../../contract/webhooks.ts'
import { logAct } from '../../answers/log-act.ts'
import type { HttpContext, Server } from '../../context.ts'
import { clientOf } from '../../rules/client-of.ts'
import { type ReadJson, requireValid } from '../../rules/read-json.ts'
import { BODY_PROBLEMS, TAGS, webhookProblems } from './webhook-answer.ts'

/** All deliveries since then are looked at. Each that is sent again is written, read, and sent. */
const LOOKING_MS = 250
const DELIVERY_MS = 1

export function replayDeliveries(
  server: Server,
  readJson: ReadJson,
  { door, pace, turns, webhooks }: HttpContext,
): void {
  server.route({
    method: 'POST',
    url: paths.replayDeliveries,
    config: { access: 'write', isPaced: true },
    schema: {
      operationId: 'replayDeliveries',
      tags: TAGS,
      summary: 'Send everything since a time again',
      description:
        'Deliveries that have ended, and what happened while the webhook was paused or off. Events are kept for seven days.',
      params: WebhookParams,
      body: { $ref: 'ReplayRequest#' },
      response: {
        202: {
          description: 'How many are sent again.',
          content: { 'application/json': { schema: Replayed } },
        },
        ...webhookProblems('conflict', ...BODY_PROBLEMS),
      },
    },
    handler: async (request, reply) => {
      const { from } = await readJson(request, reply, (body) => requireValid(ReplayRequest, body))
      const webhook = await door.getWebhook(request.params, request.apiKey)
      const client = clientOf(request)
      const deliveries = await webhooks.replayFrom(webhook, from, turns.for(client))
      pace.spend(client, LOOKING_MS + deliveries * DELIVERY_MS)
      const { projectId, webhookId } = webhook
      logAct(request, 'deliveries replayed', { projectId, webhookId, deliveries: String(deliveries) })
      return await reply.code(202).header('cache-control', 'no-store').send({ deliveries })
    },
  })
}
