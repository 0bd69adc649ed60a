import { requireId } from '../../../access/door.ts'
import { paths } from '../../../contract/paths.ts'
import { DeliveryParams } from '../../../contract/requests.ts'
import { logAct } from '../../answers/log-act.ts'
import type { HttpContext, Server } from '../../context.ts'
import { clientOf } from '../../rules/client-of.ts'
import type { ReadJson } from '../../rules/read-json.ts'
import { BODY_PROBLEMS, deliveryResponse, TAGS, webhookProblems } from './webhook-answer.ts'

export function replayDelivery(
  server: Server,
  readJson: ReadJson,
  { door, turns, webhooks }: HttpContext,
): void {
  server.route({
    method: 'POST',
    url: paths.replayDelivery,
    config: { access: 'write', isPaced: true },
    schema: {
      operationId: 'replayDelivery',
      tags: TAGS,
      summary: 'Send a delivery again',
      description: 'At once, and as if it had never been tried. Its `webhook-id` stays the same.',
      params: DeliveryParams,
      response: {
        202: deliveryResponse('The delivery. It is under way.'),
        ...webhookProblems('conflict', ...BODY_PROBLEMS),
      },
    },
    handler: async (request, reply) => {
      await readJson(request, reply, () => undefined, { absent: {} })
      const webhook = await door.getWebhook(request.params, request.apiKey)
      const deliveryId = requireId(request.params.deliveryId)
      const delivery = await turns.run(clientOf(request), () => webhooks.replay(webhook, deliveryId))
      const { projectId, webhookId } = webhook
      logAct(request, 'delivery replayed', { projectId, webhookId, deliveryId })
      return await reply.code(202).header('cache-control', 'no-store').send(delivery)
    },
  })
}
