import type { DeliveryEvent, DeliveryState, WebhookEvent, WebhookFormat } from '../contract/webhooks.ts'
import type { Expected, ListPage, Room } from './owned.ts'

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

export interface StoredWebhook extends WebhookSettings {
  readonly projectId: string
  readonly webhookId: string
  readonly secrets: readonly SealedSecret[]
  readonly created: number
  readonly changed: number
  /** Changes with the settings, with the secrets, and when it is switched off. */
  readonly revision: string
  /** Since when every attempt has failed. */
  readonly failingSince: number | undefined
  readonly off: { readonly since: number; readonly reason: OffReason; readonly detail: string } | undefined
}

export interface ListedWebhook extends StoredWebhook {
  /** How many of its deliveries are pending. */
  readonly pending: number
}

export interface NewWebhook extends WebhookSettings {
  readonly projectId: string
  readonly webhookId: string
  readonly secrets: readonly SealedSecret[]
  readonly created: number
}

/** The last attempt at a delivery. */
export interface Attempted {
  readonly at: number
  readonly ms: number
  readonly status?: number | undefined
  readonly answer?: string | undefined
  readonly problem?: string | undefined
}

export interface StoredDelivery {
  readonly deliveryId: string
  readonly event: DeliveryEvent
  readonly rootId: string | undefined
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

/**
 * The webhooks of projects and their deliveries. Times that are given are corrected to the clock of the store.
 * Errors are those of `Store`. `change` and `remove` throw `not_found`, and `precondition_failed` if the revision is another one.
 */
export interface Webhooks {
  /** It is notified of events from now on. Throws `not_found`; `conflict` if the project has `most` webhooks. */
  create(webhook: NewWebhook, room?: Room): Promise<ListedWebhook>
  find(key: WebhookKey): Promise<ListedWebhook | undefined>
  /** Oldest first, then by id. */
  page(projectId: string, page: ListPage): Promise<ListedWebhook[]>
  /** Also switches it on again, if it was off. Events while it was paused or off are not delivered. */
  change(
    key: WebhookKey,
    settings: WebhookSettings,
    options: Expected & { readonly now: number },
  ): Promise<ListedWebhook>
  /** Throws `not_found`. */
  changeSecrets(
    key: WebhookKey,
    change: (before: readonly SealedSecret[]) => readonly SealedSecret[],
    now: number,
  ): Promise<ListedWebhook>
  /** With its deliveries. */
  remove(key: WebhookKey, expected?: Expected): Promise<void>

  /** Newest first. */
  listDeliveries(
    key: WebhookKey,
    page: ListPage & { readonly state?: DeliveryState | undefined },
  ): Promise<StoredDelivery[]>
  /**
   * A test delivery. Undefined if there is no such webhook. Throws `conflict` if it is paused or off, or has very
   * many pending tests.
   */
  addTest(key: WebhookKey, now: number): Promise<StoredDelivery | undefined>
  /**
   * Makes a delivery pending again, as if it had never been tried. One that is pending is due at once. Undefined if there is no
   * such delivery. Throws `conflict` as above.
   */
  replay(key: WebhookKey, deliveryId: string, now: number): Promise<StoredDelivery | undefined>
  /**
   * The same for all that have ended and are about something that happened at `from` or later. Events of that time that never became
   * a delivery become one. Returns how many they are. Undefined and `conflict` as above.
   */
  replayFrom(
    key: WebhookKey,
    from: number,
    options: { now: number; inTurn?: InTurn | undefined },
  ): Promise<number | undefined>
}
