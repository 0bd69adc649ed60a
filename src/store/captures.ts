import type { CaptureOptions, OwnOptions, PageOptions } from '../contract/capture-options.ts'
import type { Seen } from '../contract/seen.ts'
import type { CaptureReason, CaptureState, Counts, Origin, RootState } from '../contract/status.ts'
import type { EVENTS, WebhookEvent } from '../contract/webhook-names.ts'
import type { RootKey } from './rows.ts'

export interface RequestedPage {
  readonly url: string
  readonly name: string
  readonly loadingTime: number
  /** Options of this page alone, instead of those of the request. */
  readonly ownOptions?: OwnOptions | undefined
}

/** A page to be queued. Its options have no secrets. */
export interface NewPage extends RequestedPage {
  /** Its secrets, encrypted. The store keeps them until the page has ended. */
  readonly sealed?: string | undefined
}

export interface NewRequest {
  readonly projectId: string
  readonly rootId: string
  readonly created: number
  /** Covers everything that was requested. It shows whether a request with the same key is a repetition. */
  readonly digest: string
  /** Digests of the same request by older keys. */
  readonly olderDigests?: readonly string[]
  readonly idempotencyKey: string | undefined
  readonly options: CaptureOptions
  /** In the order of the request. */
  readonly pages: readonly NewPage[]
  readonly origin?: Origin | undefined
  /** Until then, only a process that names this root may capture its pages. */
  readonly heldUntil?: number | undefined
}

/** The most pages of the project, with those of the request. */
export interface AcceptLimits {
  readonly mostWaiting?: number | undefined
  readonly mostScheduled?: number | undefined
}

export interface CaptureKey extends RootKey {
  readonly position: number
}

/** After this many deaths of processes, a page is captured with nothing else under way in its process. */
export const SUSPECT_DEATHS = 3

/** One attempt at a capture. Only the last attempt can end the capture. */
export interface Attempt extends CaptureKey {
  /** The id of the attempt, and of the job if it succeeds. */
  readonly uuid: string
}

export interface CaptureTask extends Attempt, Omit<NewPage, 'ownOptions'> {
  readonly options: PageOptions
  /** This one included. */
  readonly attempts: number
  /** How often a process died while it captured this page. */
  readonly deaths: number
}

/** An attempt that has begun and not ended. Its lease changes as long as its process lives. */
export interface UnderWay extends Attempt {
  readonly lease: number
  /** The deaths before this attempt. */
  readonly deaths: number
}

export interface Captured {
  readonly width: number
  readonly height: number
  readonly basepath: string
  /** Holds what every database can hold. */
  readonly seen: Seen
}

export interface Failed {
  readonly reason: CaptureReason
  /** A sentence for people. */
  readonly detail: string
  /** If the page came, but its status is a failure for the request. */
  readonly seen?: Seen | undefined
}

export interface PutBack {
  readonly now: number
  readonly due: number
  readonly counts: boolean
  readonly died?: boolean
}

export interface CaptureTimes {
  readonly queued: number
  readonly started: number | undefined
  readonly finished: number | undefined
}

export interface CaptureProgress extends RequestedPage, CaptureTimes {
  readonly position: number
  readonly state: CaptureState
  readonly attempts: number
  /** The id of its job. */
  readonly uuid: string | undefined
  readonly failed: Omit<Failed, 'seen'> | undefined
  /** Undefined if the page did not come, or was captured by a version that did not write it. */
  readonly seen: Seen | undefined
  /** The page was longer than a picture may be. Known for every capture. */
  readonly cut: boolean
  /** The version of the root's progress that this came with. */
  readonly changed: number
}

export type Outcome = Exclude<RootState, 'scheduled' | 'queued' | 'running'>

/** The end of a root. It is written in the transaction that ends its last page. */
export interface Finished {
  readonly at: number
  readonly outcome: Outcome
}

export interface RootProgress {
  readonly created: number
  readonly idempotencyKey: string | undefined
  readonly origin?: Origin | undefined
  readonly options: CaptureOptions
  /** Counts up with everything that happens. */
  readonly version: number
  /** Undefined if it was not finished when the captures were read. */
  readonly finished: Finished | undefined
  readonly captures: readonly CaptureProgress[]
}

/** Changes of a request since a version: the captures that have changed, in their order. */
export interface Changes extends RootProgress {
  /** How many of all its captures are in each state. */
  readonly counts: Counts
}

export type EventKind = (typeof EVENTS)[WebhookEvent]['kind']

/** Something that happened to a captured root. The result itself is read from the root. */
export interface RootEvent {
  /** Counts up by one within the project. */
  readonly number: number
  readonly kind: EventKind
  readonly rootId: string
  /** The page of the root. Undefined if the event is about the whole root. */
  readonly position: number | undefined
  /** In Unix milliseconds, by the clock of the store. */
  readonly created: number
}
