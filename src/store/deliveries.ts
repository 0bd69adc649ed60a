import type { TEST_EVENT, WebhookEvent } from '../contract/webhooks.ts'
import type { Attempted, OffReason, StoredWebhook, WebhookKey } from './webhooks.ts'

export type DeliveryEvent = WebhookEvent | typeof TEST_EVENT

/** One attempt at a delivery. Only the last attempt can end the delivery. */
export interface DeliveryAttempt extends WebhookKey {
  readonly deliveryId: string
  /** The id of the attempt. */
  readonly attempt: string
}

export interface DeliveryTask extends DeliveryAttempt {
  readonly event: DeliveryEvent
  /** Undefined: it is a test. */
  readonly rootId: string | undefined
  /** Undefined: it is not about one page. */
  readonly position: number | undefined
  readonly created: number
  /** This one included. */
  readonly attempts: number
  readonly webhook: StoredWebhook
}

/** What came of an attempt. */
export type AttemptEnd =
  | { readonly state: 'delivered' | 'failed'; readonly last: Attempted }
  /** It is tried again. */
  | { readonly state: 'pending'; readonly last: Attempted; readonly due: number }
  /** What it is about is gone. */
  | { readonly state: 'dropped' }
  /** Nothing was sent: the attempt does not count, and the delivery keeps its place. */
  | { readonly state: 'put_back' }

/** Why a webhook is switched off. */
export interface SwitchOff {
  readonly reason: OffReason
  readonly detail: string
}

export interface EndOptions {
  readonly now: number
  /** Whether the webhook is switched off, given since when every attempt has failed. */
  readonly offIf?: ((failingSince: number | undefined) => SwitchOff | undefined) | undefined
}

/** What is to be done. */
export interface DeliveryWork {
  /** Some events are not deliveries yet. */
  readonly events: boolean
  /** An attempt is due. */
  readonly due: boolean
  /** A process died with an attempt under way. */
  readonly lost: boolean
}

export interface TakeDelivery {
  readonly now: number
  readonly leaseMs: number
  /** Nothing of these webhooks. */
  readonly except?: readonly string[]
  /** Nothing of webhooks whose last attempt failed. */
  readonly healthyOnly?: boolean
}

export interface DeliveriesBacklog {
  readonly pending: number
  /** When the oldest event happened that is not delivered, in Unix milliseconds. */
  readonly oldest: number | undefined
  /** How many webhooks are switched off. */
  readonly off: number
}

/**
 * The work of delivering, shared by any number of processes. An event becomes one delivery of each webhook that wants it. Of
 * one webhook and one root, one attempt is under way at a time, and the first attempts are in the order of the events. Times that
 * are given are corrected to the clock of the store. Errors are those of `Store`.
 */
export interface Deliveries {
  /** By one cheap query. */
  findWork(now: number): Promise<DeliveryWork>
  /** Webhooks that have not taken all events of their project. */
  findBehind(limit: number): Promise<WebhookKey[]>
  /** Makes some events into deliveries. Returns how many events it looked at. */
  spread(key: WebhookKey, options: { now: number; limit: number }): Promise<number>
  /** Begins an attempt. The next webhook is the one whose last attempt began first. Undefined if nothing is due. */
  takeNext(options: TakeDelivery): Promise<DeliveryTask | undefined>
  /**
   * False if the attempt is not the last one any more: then nothing changes. If the webhook is switched off, it is in the same
   * transaction, so that nothing more is begun. Its pending deliveries are dropped later.
   */
  end(
    attempt: DeliveryAttempt,
    end: AttemptEnd,
    options: EndOptions,
  ): Promise<{ switchedOff: SwitchOff | undefined } | false>
  /** Attempts whose lease is over can be begun again. Returns how many. */
  giveBackLost(now: number): Promise<number>
  /** Drops some pending deliveries of webhooks that are off. Returns how many. */
  dropPending(options: { now: number; limit: number }): Promise<number>
  findBacklog(): Promise<DeliveriesBacklog>
  /**
   * Removes some deliveries that have ended: those from before `before`, and all but the newest `most` of a webhook. Also all
   * of removed projects. Returns how many. 0: nothing is left.
   */
  forget(options: { before: number; most: number; limit: number }): Promise<number>
}
