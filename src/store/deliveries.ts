import type { DeliveryEvent } from '../contract/webhooks.ts'
import type { Attempted, OffReason, StoredWebhook, WebhookKey } from './webhooks.ts'

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

/** The result of an attempt. */
export type AttemptEnd =
  | { readonly state: 'delivered' | 'failed'; readonly last: Attempted }
  /** It is tried again after a pause. */
  | { readonly state: 'pending'; readonly last: Attempted; readonly pauseMs: number }
  /** Its page or root is gone. */
  | { readonly state: 'dropped' }
  /** Nothing was sent: the attempt does not count, and the delivery keeps its place. */
  | { readonly state: 'put_back' }

/** Why a webhook is switched off. */
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

/** What is to be done. */
export interface DeliveryWork {
  /** Some events are not deliveries yet. */
  readonly events: boolean
  /** An attempt is due. */
  readonly due: boolean
  /** A process died with an attempt under way. */
  readonly lost: boolean
  /** Something waits for a time that a wrong clock has written. */
  readonly ahead: boolean
}

/** A webhook that has an attempt due. */
export interface DueWebhook extends WebhookKey {
  readonly url: string
  /** The webhook with the smallest turn began its last attempt first. */
  readonly turn: number
  /** Its last attempt failed. */
  readonly isFailing: boolean
}

export interface FindDue {
  readonly now: number
  readonly after?: DueWebhook | undefined
  readonly limit: number
}

export interface TakeDeliveries {
  readonly now: number
  readonly leaseMs: number
  readonly most: number
}

export interface FindLost {
  readonly now: number
  readonly leaseMs: number
  /** The deliveries that this process sends now. They are not lost, whatever the clock says. */
  readonly own: ReadonlySet<string>
}

/** `findBacklog` counts up to this number. */
export const MOST_COUNTED = 10_000

export interface DeliveriesBacklog {
  /** At most `MOST_COUNTED`. */
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
  findWork(options: { now: number; leaseMs: number }): Promise<DeliveryWork>
  /** Webhooks that have not taken all events of their project, by id, after `after`. */
  findBehind(options: { after?: string | undefined; limit: number }): Promise<WebhookKey[]>
  /** Makes some events into deliveries. Returns how many events it looked at. */
  spread(key: WebhookKey, options: { now: number; limit: number }): Promise<number>
  /** Webhooks that have an attempt due, by turn, after `after`. */
  findDue(options: FindDue): Promise<DueWebhook[]>
  /** Begins attempts at deliveries of a webhook, of different roots. Nothing if another process does that in this moment. */
  take(key: WebhookKey, options: TakeDeliveries): Promise<DeliveryTask[]>
  /**
   * Ends attempts, all in one transaction. If a webhook is switched off, it is in the same transaction, so that nothing more is
   * begun. Its pending deliveries are dropped later.
   */
  end(ends: readonly EndedAttempt[], options: EndOptions): Promise<Ended[]>
  /** Lost attempts can be begun again. Returns how many. */
  giveBackLost(options: FindLost): Promise<number>
  /** Deliveries that are `ahead` are due now. Returns how many. */
  bringBack(now: number): Promise<number>
  /** Drops some pending deliveries of webhooks that are off. Returns how many. */
  dropPending(options: { now: number; limit: number }): Promise<number>
  findBacklog(): Promise<DeliveriesBacklog>
  /**
   * Removes some deliveries that have ended: those from before `before`, and all but the newest `most` of a webhook. Also all
   * of removed projects. Returns how many. 0: nothing is left.
   */
  forget(options: { before: number; most: number; limit: number }): Promise<number>
}
