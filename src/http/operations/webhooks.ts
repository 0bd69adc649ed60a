import { requireId } from '../../access/door.ts'
import { paths, pathTo } from '../../contract/paths.ts'
import { createListQueries } from '../../contract/requests.ts'
import {
  Delivery,
  DeliveryList,
  Replayed,
  ReplayRequest,
  Webhook,
  WebhookList,
  WebhookRequest,
} from '../../contract/webhooks.ts'
import { requireValid } from '../../errors.ts'
import { show, type Webhooks } from '../../webhooks/webhooks.ts'
import { EXAMPLE, named } from '../answers/api.ts'
import { json, linkHeaders, linkNext } from '../answers/responses.ts'
import { toJson } from '../answers/send-answer.ts'
import { clientOf } from '../context.ts'
import { type Chapter, logAct } from '../operation.ts'
import { declareResource } from '../resource.ts'
import { originOf } from '../rules/origin.ts'

/** For a replay. All deliveries since then are looked at; each that is sent again is written, read, and sent. */
const LOOKING_MS = 1_000
const DELIVERY_MS = 1

const { created, rootId } = EXAMPLE
const settings: WebhookRequest = {
  name: 'Chat',
  url: 'https://example.com/hooks/screenshots',
  events: ['screenshot.done', 'root.finished'],
}

export const webhooks = (webhooks: Webhooks): Chapter => ({
  name: 'Webhooks',
  description: 'Notifies other servers of events.',
  schemas: () => [
    named(WebhookRequest, settings, {
      ...settings,
      url: 'https://hooks.slack.com/services/…',
      format: 'slack',
    }),
    named(Webhook, {
      webhookId: 'c1d5a5c4-08a4-4b8e-b7a6-0f6a4b1f6f3d',
      ...settings,
      ...{ format: 'standard', paused: false, created, changed: created, pending: 0 },
    }),
    named(Delivery, {
      deliveryId: '0195514f-7b00-7000-9d3c-5f1e6a7b8c9d',
      ...{ event: 'screenshot.done', rootId, position: 0 },
      ...{ state: 'pending', created, attempts: 1, next: created + 5_000 },
      last: { at: created, ms: 120, status: 500, answer: 'try again later' },
    }),
    named(ReplayRequest, { from: created }),
  ],
  declare(declare, context) {
    const { pace, turns } = context
    const maxLimit = context.config.limits.listPage
    const { find, send, answers } = declareResource(declare, context, {
      name: 'webhook',
      access: 'write',
      schemaOfList: WebhookList,
      changesWith: 'the settings',
      words: {
        list: { description: 'Oldest first.', answer: 'The webhooks, without their secrets.' },
        create: {
          description:
            'It is notified of events from now on. Each delivery is a POST, signed according to Standard Webhooks. Any 2xx answer ' +
            'within 15 seconds is a success; after any other, the delivery is tried again for about a day.',
          answer: 'The webhook, with its secret. The secret is not shown again.',
        },
        get: {
          description: 'With `off` if the service has switched it off.',
          answer: 'The webhook, without its secret.',
        },
        change: {
          description:
            'Replaces all settings; the secret stays. Switches it on again, if the service had switched it off. Events that happened ' +
            'while it was paused or off are delivered only if they are replayed.',
        },
        remove: {
          description: 'Also removes its secret and its deliveries. Pending deliveries are not sent.',
        },
      },
      use: webhooks,
      async list({ projectId }, page, { inTurn }) {
        const { webhooks: shown, nextCursor } = await inTurn(() => webhooks.list(projectId, page))
        const body = toJson(shown)
        return { body: () => body, nextCursor }
      },
      render: async (row) => toJson(show(row)),
    })
    const deliveryAnswer = json('The delivery. It will be sent.', 'Delivery')
    declare({
      id: 'testWebhook',
      summary: 'Send a test delivery',
      description: 'Sends `webhook.test` at once. The list of deliveries shows the result.',
      method: 'POST',
      path: paths.testWebhook,
      isPaced: true,
      body: 'ignored',
      answers: { 202: deliveryAnswer },
      fails: ['conflict'],
      async run(request, reply) {
        const { projectId, webhookId } = await find(request)
        const delivery = await turns.run(clientOf(request), () => webhooks.test({ projectId, webhookId }))
        logAct(request, 'webhook tested', { projectId, webhookId })
        return await reply.code(202).header('cache-control', 'no-store').send(delivery)
      },
    })
    declare({
      id: 'rotateSecret',
      summary: 'Give a webhook a new secret',
      description:
        'For 24 hours deliveries are also signed with the old secret, so that the receiver can switch.',
      method: 'POST',
      path: paths.rotateSecret,
      isPaced: true,
      body: 'ignored',
      answers: { 200: answers('The webhook, with its new secret. The secret is not shown again.') },
      async run(request, reply) {
        const { projectId, webhookId } = await find(request)
        const changed = await webhooks.rotateSecret({ projectId, webhookId })
        logAct(request, 'secret of a webhook changed', { projectId, webhookId })
        return await send(changed, request, reply)
      },
    })
    declare({
      id: 'listDeliveries',
      summary: 'List the deliveries of a webhook',
      description:
        'Newest first, with the status and the first bytes of the last answer. They are removed after a while (`KEEP_DELIVERIES`).',
      access: 'write',
      path: paths.deliveries,
      query: createListQueries(maxLimit).deliveries,
      answers: { 200: json('The deliveries.', DeliveryList, linkHeaders) },
      async run(request, reply) {
        const { limit = maxLimit, cursor, state } = request.query
        const webhook = await find(request)
        const { deliveries, nextCursor } = await turns.run(clientOf(request), () =>
          webhooks.listDeliveries(webhook, { limit, cursor, state }),
        )
        const path = pathTo(paths.deliveries, webhook.projectId, webhook.webhookId)
        linkNext(reply, originOf(request, context) + path, { limit, cursor: nextCursor, state })
        return await reply.header('cache-control', 'no-store').send(deliveries)
      },
    })
    declare({
      id: 'replayDelivery',
      summary: 'Send a delivery again',
      description: 'It is sent at once, as a new delivery would be. Its `webhook-id` stays the same.',
      method: 'POST',
      path: paths.replayDelivery,
      isPaced: true,
      body: 'ignored',
      answers: { 202: deliveryAnswer },
      fails: ['conflict'],
      async run(request, reply) {
        const { projectId, webhookId } = await find(request)
        const deliveryId = requireId(request.params.deliveryId)
        const delivery = await turns.run(clientOf(request), () =>
          webhooks.replay({ projectId, webhookId }, deliveryId),
        )
        logAct(request, 'delivery replayed', { projectId, webhookId, deliveryId })
        return await reply.code(202).header('cache-control', 'no-store').send(delivery)
      },
    })
    declare({
      id: 'replayDeliveries',
      summary: 'Send everything since a time again',
      description:
        'Sends ended deliveries again, and events that happened while the webhook was paused or off. Events are kept for seven days.',
      method: 'POST',
      path: paths.replayDeliveries,
      isPaced: true,
      body: { schema: 'ReplayRequest', read: (json) => requireValid(ReplayRequest, json) },
      answers: { 202: json('How many are sent again.', Replayed) },
      fails: ['conflict'],
      async run(request, reply, { from }) {
        const { projectId, webhookId } = await find(request)
        const client = clientOf(request)
        const deliveries = await webhooks.replayFrom({ projectId, webhookId }, from, turns.for(client))
        pace.spend(client, LOOKING_MS + deliveries * DELIVERY_MS)
        logAct(request, 'deliveries replayed', { projectId, webhookId, deliveries: String(deliveries) })
        return await reply.code(202).header('cache-control', 'no-store').send({ deliveries })
      },
    })
  },
})
