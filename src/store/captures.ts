import type { CaptureOptions, OwnOptions, PageOptions } from '../contract/capture-options.ts'
import type { Seen } from '../contract/seen.ts'
import type { CaptureReason, CaptureState, Counts, Origin, RootState } from '../contract/status.ts'

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

export interface CaptureKey {
  readonly projectId: string
  readonly rootId: string
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

/** In Unix milliseconds. */
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

/** How a root ended. */
export type Outcome = Exclude<RootState, 'scheduled' | 'queued' | 'running'>

/** The end of a root. It is written in the transaction that ends its last page. */
export interface Finished {
  readonly at: number
  readonly outcome: Outcome
}

/** A request with all its captures. */
export interface RootProgress {
  readonly created: number
  readonly idempotencyKey: string | undefined
  readonly origin?: Origin | undefined
  readonly options: CaptureOptions
  /** Counts up with everything that happens. */
  readonly version: number
  /** Undefined: not yet. */
  readonly finished: Finished | undefined
  readonly captures: readonly CaptureProgress[]
}

/** Changes of a request since a version. */
export interface Changes {
  readonly created: number
  readonly origin?: Origin | undefined
  readonly options: CaptureOptions
  /** Counts up with everything that happens. */
  readonly version: number
  /** Undefined if it was not finished when the captures were read. */
  readonly finished: Finished | undefined
  /** How many of all its captures are in each state. */
  readonly counts: Counts
  /** The captures that have changed, in their order. */
  readonly captures: readonly CaptureProgress[]
}

/** Everything that is not captured yet. */
export interface Backlog {
  readonly waiting: number
  /** Since when the oldest waits, in Unix milliseconds. */
  readonly oldest: number | undefined
  /** Captures under way. Those of dead processes count until they are found. */
  readonly running: number
}

/**
 * Requests and their captures. A request becomes a root when it is accepted. Each capture that succeeds adds a job to it.
 * Errors are those of `Store`.
 */
export interface Captures {
  /**
   * Adds the root without jobs, and queues its pages: all or nothing, durable when it resolves. Returns the id of the root.
   * If the same request was accepted with the same idempotency key, that is the earlier root. Throws `not_found` for an
   * unknown project, `conflict` if another request has the key, `rate_limited` if more pages of the project would wait than
   * the limits allow. With a time to come in `origin.scheduled`, its pages are not queued: see `ScheduledRoots`.
   */
  accept(request: NewRequest, limits?: AcceptLimits): Promise<string>
  /** Whether any capture is queued or under way. */
  anyUnfinished(): Promise<boolean>
  /** Whether a capture has been due since `then`, and no process has begun it. */
  anyDueSince(then: number): Promise<boolean>
  /** How many captures are unfinished, in all processes. */
  findBacklog(): Promise<Backlog>
  /**
   * Begins an attempt at the next capture that is due. The next project is the one that has used the browser least, including
   * its captures under way. Its next page is the one that was requested first. `idleOnly`: only projects that have nothing
   * under way. `rootId`: only this root, also its held captures. `suspects`: only pages at which SUSPECT_DEATHS processes
   * died; without it, none of them. Undefined if nothing is due.
   */
  takeNext(options: {
    now: number
    leaseMs: number
    rootId?: string | undefined
    idleOnly?: boolean | undefined
    suspects?: boolean | undefined
  }): Promise<CaptureTask | undefined>
  /** Whether a page is due at which SUSPECT_DEATHS processes died. */
  anySuspect(now: number): Promise<boolean>
  /** All attempts under way, in all processes, including dead ones. */
  findUnderWay(): Promise<UnderWay[]>
  /** False if the attempt is not the last one any more. */
  renew(attempt: Attempt, until: number): Promise<boolean>
  /**
   * Ends the capture, and deletes its sealed secrets. False if the attempt is not the last one any more: then nothing
   * changes.
   */
  finish(attempt: Attempt, outcome: Captured | Failed, now: number): Promise<boolean>
  /** Every process may capture the pages of this root that are still held. */
  letGo(root: { projectId: string; rootId: string }, now: number): Promise<void>
  /**
   * Puts the capture back into the queue, not before `due`. `counts`: the attempt counts against the page. `died`: its process
   * died, which is counted separately. False if the attempt is not the last one any more.
   */
  putBack(attempt: Attempt, options: PutBack): Promise<boolean>
  /** Undefined if there is no such request. Imported roots have none. */
  findProgress(projectId: string, rootId: string): Promise<RootProgress | undefined>
  /** A page that has failed. Undefined if there is none at this position. */
  findFailed(
    projectId: string,
    rootId: string,
    position: number,
  ): Promise<(Omit<Failed, 'seen'> & Pick<RequestedPage, 'url' | 'name'>) | undefined>
  /** All from one instant. `since`: a version, or 0 for everything. Undefined as above. */
  findChanges(projectId: string, rootId: string, since: number): Promise<Changes | undefined>
  /**
   * Adds a finished request to a root that was added with its jobs, once. It writes no events: no client waits for it in this
   * store.
   */
  adopt(projectId: string, rootId: string, progress: RootProgress): Promise<void>
  /** The version of a request. Undefined as above. */
  findVersion(projectId: string, rootId: string): Promise<number | undefined>
  /** One version for each root, in their order. */
  findVersions(roots: readonly { projectId: string; rootId: string }[]): Promise<(number | undefined)[]>
}
