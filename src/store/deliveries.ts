import type { Attempted, OffReason, StoredDelivery, StoredWebhook, WebhookKey } from './webhooks.ts'

/** One attempt at a delivery. Only the last attempt can end the delivery. */
export interface DeliveryAttempt extends WebhookKey {
  readonly deliveryId: string
  readonly attempt: string
}

/** Its attempts include this one. */
export interface DeliveryTask
  extends DeliveryAttempt,
    Pick<StoredDelivery, 'event' | 'rootId' | 'position' | 'created' | 'attempts'> {
  readonly webhook: StoredWebhook
}

export type AttemptEnd =
  | { readonly state: 'delivered' | 'failed'; readonly last: Attempted }
  /** It is tried again after a pause. */
  | { readonly state: 'pending'; readonly last: Attempted; readonly pauseMs: number }
  /** Its page or root is gone. */
  | { readonly state: 'dropped' }
  /** Nothing was sent: the attempt does not count, and the delivery keeps its place. */
  | { readonly state: 'put_back' }

export interface SwitchOff {
  readonly reason: OffReason
  readonly detail: string
}

export interface EndedAttempt {
  readonly attempt: DeliveryAttempt
  readonly how: AttemptEnd
}

/** Every attempt has failed since then. `ms`: for how long, by attempts that are spread over that time. */
export interface Failing {
  readonly since: number
  readonly ms: number
}

export interface EndOptions {
  readonly now: number
  /** Whether the webhook is switched off after this end. */
  readonly offIf?: ((how: AttemptEnd, failing: Failing | undefined) => SwitchOff | undefined) | undefined
}

/** False: the attempt is not the last one any more, and nothing changed. */
export type Ended = { readonly switchedOff: SwitchOff | undefined } | false

export interface DueWebhook extends WebhookKey {
  readonly url: string
  /** The webhook with the smallest turn began its last attempt first. */
  readonly turn: number
  readonly isFailing: boolean
}

/** `findBacklog` counts up to this number. */
export const MOST_COUNTED = 10_000
