import { Name } from './owned.ts'
import { MAX_URL } from './requests.ts'
import { Optional, type Static, Time, Type } from './schema.ts'
import { DELIVERY_STATES, type DeliveryState, MOST_PENDING } from './states.ts'
import { WEBHOOK_EVENTS, WEBHOOK_FORMATS, type WebhookEvent } from './webhook-names.ts'

// A webhook notifies another server of events. Each event in its list becomes a delivery.

export * from './webhook-names.ts'

/** The event of a test. Webhooks do not list it. */
export const TEST_EVENT = 'webhook.test'
export type DeliveryEvent = WebhookEvent | typeof TEST_EVENT

export { DELIVERY_STATES, type DeliveryState }

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
      '`standard`: the bodies above, signed according to Standard Webhooks. `slack`, `discord`: a message for an incoming webhook of these ' +
      'services, with a link and the preview.',
  }),
  paused: Type.Boolean({
    default: false,
    description: 'Whether it is paused. Events of this time are not delivered later.',
  }),
}

/** The body of `POST …/webhooks` and `PUT …/webhooks/:webhookId`. */
export const WebhookRequest = Type.Object(
  {
    ...FIELDS,
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
    created: Time('When it was created.'),
    changed: Time('When it was last changed.'),
    pending: Type.Integer({
      description: `How many deliveries are not delivered yet. ${MOST_PENDING} means that many or more.`,
      maximum: MOST_PENDING,
    }),
    failingSince: Type.Optional(Time('Every attempt since this time has failed.')),
    off: Optional.Object(
      {
        since: Time('When it was switched off.'),
        reason: Type.Enum(['gone', 'failing'], {
          description: '`gone`: it answered 410. `failing`: every attempt has failed for a week.',
        }),
        detail: Type.String({ description: 'For people.' }),
      },
      { description: 'The service has switched it off. Changing it switches it on again.' },
    ),
    secret: Optional.String({
      description:
        'The key that signs deliveries. It is in the answer that creates it, and is not shown again.',
      examples: ['whsec_…'],
    }),
  },
  { $id: 'Webhook', description: 'A webhook notifies another server of events.' },
)

export type Webhook = Static<typeof Webhook>

export const WebhookList = Type.Array(Type.Reference<Webhook>('Webhook'))

export const Delivery = Type.Object(
  {
    deliveryId: Type.String({ format: 'uuid', description: 'The header `webhook-id` of every attempt.' }),
    event: Type.Enum([...WEBHOOK_EVENTS, TEST_EVENT]),
    rootId: Optional.String({ format: 'uuid' }),
    position: Optional.Integer({ description: 'The page of the root.' }),
    state: Type.Enum(DELIVERY_STATES, {
      description:
        '`failed`: it was given up. `dropped`: its page or root no longer exists, or its webhook was switched off.',
    }),
    created: Time('When the event happened.'),
    attempts: Type.Integer(),
    next: Type.Optional(Time('When the next attempt is due.')),
    finished: Type.Optional(Time('When it was delivered, given up or dropped.')),
    last: Optional.Object(
      {
        at: Time('When it began.'),
        ms: Type.Integer({ description: 'How long it took.' }),
        status: Optional.Integer({ description: 'The HTTP status of the answer.' }),
        answer: Optional.String({ description: 'The first bytes of the answer.' }),
        problem: Optional.String({ description: 'Why there was no answer, in words.' }),
      },
      { description: 'The last attempt.' },
    ),
  },
  { $id: 'Delivery', description: 'An event that a webhook is notified of.' },
)

export type Delivery = Static<typeof Delivery>

export const DeliveryList = Type.Array(Type.Reference<Delivery>('Delivery'))

/** The body of `POST …/webhooks/:webhookId/replay`. */
export const ReplayRequest = Type.Object(
  { from: Time('Events that happened at this time or later are sent again.') },
  { $id: 'ReplayRequest', additionalProperties: false },
)

export type ReplayRequest = Static<typeof ReplayRequest>

export const Replayed = Type.Object({
  deliveries: Type.Integer({ description: 'How many are sent again.' }),
})
