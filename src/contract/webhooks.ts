import { MAX_URL } from './requests.ts'
import { type Static, Time, Type } from './schema.ts'
import { DELIVERY_STATES, type DeliveryState, MOST_PENDING } from './states.ts'
import { Name } from './templates.ts'
import { WEBHOOK_EVENTS, WEBHOOK_FORMATS, type WebhookEvent } from './webhook-names.ts'

// A webhook tells another server what happened to roots. Each event that it wants becomes a delivery.

export * from './webhook-names.ts'

/** Sent by a test. Nobody chooses it. */
export const TEST_EVENT = 'webhook.test'
export type DeliveryEvent = WebhookEvent | typeof TEST_EVENT

export { DELIVERY_STATES, type DeliveryState }

/** The headers of a delivery, beside those of Standard Webhooks. */
export const EVENT_HEADER = 'proofsheet-event'

const FIELDS = {
  name: Name,
  url: Type.String({
    minLength: 1,
    maxLength: MAX_URL,
    description: 'Where deliveries are sent, with POST. http or https.',
    examples: ['https://example.com/hooks/screenshots'],
  }),
  events: Type.Array(Type.Enum(WEBHOOK_EVENTS), {
    minItems: 1,
    maxItems: WEBHOOK_EVENTS.length,
    description:
      '`screenshot.done`: the body is the `JobResult`. `screenshot.failed`, `root.finished`: the body has `type`, `timestamp` and `data`.',
    examples: [['root.finished']],
  }),
  format: Type.Enum(WEBHOOK_FORMATS, {
    default: 'standard',
    description:
      '`standard`: the bodies above, signed as Standard Webhooks says. `slack`, `discord`: a message for an incoming webhook of these ' +
      'services, with a link and the preview.',
  }),
  paused: Type.Boolean({ default: false, description: 'Events of this time are not delivered later.' }),
}

/** What `POST …/webhooks` and `PUT …/webhooks/:webhookId` take. */
export const WebhookRequest = Type.Object(
  {
    name: FIELDS.name,
    url: FIELDS.url,
    events: FIELDS.events,
    format: Type.Optional(FIELDS.format),
    paused: Type.Optional(FIELDS.paused),
  },
  { $id: 'WebhookRequest', additionalProperties: false },
)

export type WebhookRequest = Static<typeof WebhookRequest>

export const Webhook = Type.Object(
  {
    webhookId: Type.String({ format: 'uuid' }),
    ...FIELDS,
    created: Time('When it was made.'),
    changed: Time('When it was last changed.'),
    pending: Type.Integer({
      description: `How many deliveries are not delivered yet. ${MOST_PENDING} means that many or more.`,
      maximum: MOST_PENDING,
    }),
    failingSince: Type.Optional(Time('Since when every attempt has failed.')),
    off: Type.Optional(
      Type.Object(
        {
          since: Time('Since when.'),
          reason: Type.Enum(['gone', 'failing'], {
            description: '`gone`: it answered 410. `failing`: every attempt of a week has failed.',
          }),
          detail: Type.String({ description: 'For people.' }),
        },
        { description: 'The service has switched it off. Changing it switches it on again.' },
      ),
    ),
    secret: Type.Optional(
      Type.String({
        description: 'Signs deliveries. Only in the answer that made it: it is not shown again.',
        examples: ['whsec_…'],
      }),
    ),
  },
  { $id: 'Webhook', description: 'It tells another server what happened.' },
)

export type Webhook = Static<typeof Webhook>

export const WebhookList = Type.Array(Type.Reference<Webhook>('Webhook'))

export const Delivery = Type.Object(
  {
    deliveryId: Type.String({ format: 'uuid', description: 'The header `webhook-id` of every attempt.' }),
    event: Type.Enum([...WEBHOOK_EVENTS, TEST_EVENT]),
    rootId: Type.Optional(Type.String({ format: 'uuid' })),
    position: Type.Optional(Type.Integer({ description: 'The page of the root.' })),
    state: Type.Enum(DELIVERY_STATES, {
      description:
        '`failed`: it was given up. `dropped`: what it was about is gone, or its webhook was switched off.',
    }),
    created: Time('When it happened.'),
    attempts: Type.Integer(),
    next: Type.Optional(Time('When the next attempt is due.')),
    finished: Type.Optional(Time('When it was delivered, given up or dropped.')),
    last: Type.Optional(
      Type.Object(
        {
          at: Time('When it began.'),
          ms: Type.Integer({ description: 'How long it took.' }),
          status: Type.Optional(Type.Integer({ description: 'The HTTP status of the answer.' })),
          answer: Type.Optional(Type.String({ description: 'The first bytes of the answer.' })),
          problem: Type.Optional(Type.String({ description: 'Why there was no answer, for people.' })),
        },
        { description: 'The last attempt.' },
      ),
    ),
  },
  { $id: 'Delivery', description: 'An event that a webhook is told of.' },
)

export type Delivery = Static<typeof Delivery>

export const DeliveryList = Type.Array(Type.Reference<Delivery>('Delivery'))

/** What `POST …/webhooks/:webhookId/replay` takes. */
export const ReplayRequest = Type.Object(
  { from: Time('Deliveries of what happened at this time or later are sent again.') },
  { $id: 'ReplayRequest', additionalProperties: false },
)

export type ReplayRequest = Static<typeof ReplayRequest>

export const Replayed = Type.Object({
  deliveries: Type.Integer({ description: 'How many are sent again.' }),
})
