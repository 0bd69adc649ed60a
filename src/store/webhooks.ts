import type { DeliveryEvent, DeliveryState, WebhookEvent, WebhookFormat } from '../contract/webhooks.ts'

export type OffReason = 'gone' | 'failing'

/** A sealed secret that signs deliveries. */
export interface SealedSecret {
  readonly sealed: string
  /** Not valid any more from this time on. Undefined: valid until it is replaced. */
  readonly until?: number | undefined
}

export interface WebhookSettings {
  readonly name: string
  readonly url: string
  readonly events: readonly WebhookEvent[]
  readonly format: WebhookFormat
  readonly paused: boolean
}

export interface StoredWebhook extends NewWebhook {
  readonly changed: number
  /** Changes with the settings, with the secrets, and when it is switched off. */
  readonly revision: string
  readonly failingSince: number | undefined
  readonly off: { readonly since: number; readonly reason: OffReason; readonly detail: string } | undefined
}

export interface ListedWebhook extends StoredWebhook {
  readonly pending: number
}

export interface NewWebhook extends WebhookSettings, WebhookKey {
  readonly secrets: readonly SealedSecret[]
  readonly created: number
}

/** The last attempt at a delivery. */
export interface Attempted {
  readonly at: number
  readonly ms: number
  readonly status?: number | undefined
  /** The first bytes of the answer, as plain text. */
  readonly answer?: string | undefined
  /** A sentence for people: why there was no answer, or why it does not count. */
  readonly problem?: string | undefined
}

export interface StoredDelivery {
  readonly deliveryId: string
  readonly event: DeliveryEvent
  /** Undefined: it is a test. */
  readonly rootId: string | undefined
  /** Undefined: it is not about one page. */
  readonly position: number | undefined
  readonly state: DeliveryState
  readonly created: number
  readonly attempts: number
  /** Undefined if an attempt is under way, if it waits for an earlier one of its root, or if it has ended. */
  readonly due: number | undefined
  readonly finished: number | undefined
  readonly last: Attempted | undefined
}

/** Runs one piece of long work when it is its turn. */
export type InTurn = <T>(piece: () => Promise<T>) => Promise<T>

export interface WebhookKey {
  readonly projectId: string
  readonly webhookId: string
}
