import { EVENTS } from '../../src/contract/webhook-names.ts'
import type {
  Delivery,
  DeliveryState,
  Webhook,
  WebhookEvent,
  WebhookFormat,
} from '../../src/contract/webhooks.ts'
import { count, distance, shortMoment } from './words.ts'

const EITHER = new Intl.ListFormat('en', { type: 'disjunction' })

/** `when a page was captured or a request is finished`. */
export function toldWhen(events: readonly string[]): string {
  return `when ${EITHER.format(events.map((event) => EVENTS[event as WebhookEvent].words))}`
}

export const FORMAT_WORDS: Record<WebhookFormat, string> = {
  standard: 'Standard Webhooks: signed JSON',
  slack: 'A message for Slack',
  discord: 'A message for Discord',
}

export const DELIVERY_WORDS: Record<DeliveryState, string> = {
  pending: 'pending',
  delivered: 'delivered',
  failed: 'given up',
  dropped: 'dropped',
}

/** How the states of a delivery look. */
export const DELIVERY_LOOKS: Record<DeliveryState, string> = {
  pending: 'queued',
  delivered: 'done',
  failed: 'failed',
  dropped: 'cancelled',
}

export function eventWords({ event }: Delivery): string {
  return event === 'webhook.test' ? 'a test' : EVENTS[event as WebhookEvent].words
}

/** How a webhook is, in words, and how that looks. */
export function conditionOf({ off, paused, failingSince }: Webhook): { look: string; words: string } {
  if (off) return { look: 'failed', words: `off since ${shortMoment(off.since)}: ${off.detail}` }
  if (paused) return { look: 'paused', words: 'paused' }
  if (failingSince !== undefined)
    return { look: 'partial', words: `failing since ${shortMoment(failingSince)}` }
  return { look: 'done', words: 'working' }
}

/** `3 attempts · next in 5 minutes`. */
export function attemptsOf({ state, attempts, next, last }: Delivery, now: number): string {
  if (attempts === 0) return state === 'pending' ? 'on its way' : 'not tried'
  const tried = count(attempts, 'attempt')
  if (next !== undefined) return `${tried} · next ${next <= now ? 'now' : distance(next, now)}`
  return last ? `${tried} · ${last.ms} ms` : tried
}
