import type { CaptureOptions, OwnOptions, PageOptions } from '../contract/capture-options.ts'
import type { Seen } from '../contract/seen.ts'
import type { CaptureReason, CaptureState, Counts, RootState } from '../contract/status.ts'

export interface RequestedPage {
  readonly url: string
  readonly name: string
  readonly loadingTime: number
  /** Options of this page alone, instead of those of the request. */
  readonly ownOptions?: OwnOptions | undefined
}

export interface NewRequest {
  readonly projectId: string
  readonly rootId: string
  readonly created: number
  /** Stands for everything that was asked; tells a repeat from another request under the same key. */
  readonly digest: string
  readonly idempotencyKey: string | undefined
  readonly options: CaptureOptions
  /** In the order of the request. */
  readonly pages: readonly RequestedPage[]
  /** Until then they are for whoever asks for this root by name: the process that is going to capture them itself. */
  readonly heldUntil?: number | undefined
}

export interface CaptureKey {
  readonly projectId: string
  readonly rootId: string
  readonly position: number
}

/** A page at which so many processes have died is captured with nothing else under way in its process. */
export const SUSPECT_DEATHS = 3

/** One attempt at a capture. Of several attempts at the same one only the last that began can end it. */
export interface Attempt extends CaptureKey {
  /** The id of the attempt, and of the result that it makes. */
  readonly uuid: string
}

export interface CaptureTask extends Attempt, Omit<RequestedPage, 'ownOptions'> {
  readonly options: PageOptions
  /** This one included. */
  readonly attempts: number
  /** How often the process has died that was at it. */
  readonly deaths: number
}

/** An attempt that has begun and not ended. Its lease changes for as long as someone is at it. */
export interface UnderWay extends Attempt {
  readonly lease: number
  /** As they were when it began. */
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
  /** Where the page came, and was not wanted as it is. */
  readonly seen?: Seen | undefined
}

export interface PutBack {
  readonly now: number
  readonly due: number
  readonly counts: boolean
  readonly died?: boolean
}

/** When, in Unix milliseconds. */
export interface CaptureTimes {
  readonly queued: number
  readonly started: number | undefined
  readonly finished: number | undefined
}

export interface CaptureProgress extends RequestedPage, CaptureTimes {
  readonly position: number
  readonly state: CaptureState
  readonly attempts: number
  /** Of the result. */
  readonly uuid: string | undefined
  readonly failed: Omit<Failed, 'seen'> | undefined
  /** Undefined where nothing came, and for what was captured before this was written down. */
  readonly seen: Seen | undefined
  /** The page was longer than a picture may be: known of every capture. */
  readonly cut: boolean
  /** The version of the root's progress that this came with. */
  readonly changed: number
}

/** How a root ended. */
export type Outcome = Exclude<RootState, 'queued' | 'running'>

/** That a root is finished: written in the transaction that ended its last page. */
export interface Finished {
  readonly at: number
  readonly outcome: Outcome
}

/** A request, and how far it is. */
export interface RootProgress {
  readonly created: number
  readonly idempotencyKey: string | undefined
  readonly options: CaptureOptions
  /** Counts up with everything that happens. */
  readonly version: number
  /** Undefined: not yet. */
  readonly finished: Finished | undefined
  readonly captures: readonly CaptureProgress[]
}

/** What has happened to a request since someone has last looked. */
export interface Changes {
  readonly created: number
  readonly options: CaptureOptions
  /** Counts up with everything that happens. */
  readonly version: number
  /** Undefined: not yet, or after the captures were read. */
  readonly finished: Finished | undefined
  /** Of all its captures, how many are how far. */
  readonly counts: Counts
  /** Those that have changed, in their order. */
  readonly captures: readonly CaptureProgress[]
}

/** What is to be captured, in all. */
export interface Backlog {
  readonly waiting: number
  /** Since when the oldest of those waits, in Unix milliseconds. */
  readonly oldest: number | undefined
  /** Under way, as far as is known. */
  readonly running: number
}

/**
 * What was asked for and is to be captured. A request is a root from the moment it was accepted; each capture adds a
 * job to it. Throws as the store does.
 */
export interface Captures {
  /**
   * Adds the root, empty, and queues its pages: all of it or nothing, durable when it resolves. Answers the id of the
   * root that the same idempotency key made before, if there is one. Throws `not_found` for an unknown project,
   * `conflict` where the key belongs to another request, `rate_limited` where more than `mostWaiting` pages of the
   * project would wait.
   */
  accept(request: NewRequest, limits?: { readonly mostWaiting?: number }): Promise<string>
  /** Whether anything is left to be captured. */
  anyUnfinished(): Promise<boolean>
  /** Whether anything was asked for and due by then, and nobody is at it. */
  anyDueSince(then: number): Promise<boolean>
  /** How much is left to be captured, by whichever process. */
  findBacklog(): Promise<Backlog>
  /**
   * Begins the next attempt at whatever is queued and due. Of the projects that have something due, the one comes first
   * that has used least of the browser, with what it has under way; of its pages, the one that was asked for first.
   * `idleOnly`: only of projects that have nothing under way. `rootId`: only of this root, and those that are held, too.
   * `suspects`: only pages at which SUSPECT_DEATHS processes have died, and otherwise none of them. Undefined: nothing
   * is due.
   */
  takeNext(options: {
    now: number
    leaseMs: number
    rootId?: string | undefined
    idleOnly?: boolean | undefined
    suspects?: boolean | undefined
  }): Promise<CaptureTask | undefined>
  /** Whether a page is due at which SUSPECT_DEATHS processes have died. */
  anySuspect(now: number): Promise<boolean>
  /** What is under way, in whichever process; also what a dead process was at. */
  findUnderWay(): Promise<UnderWay[]>
  /** False where the attempt is not the last one any more. */
  renew(attempt: Attempt, until: number): Promise<boolean>
  /** Ends it. False where the attempt is not the last one any more: then nothing changed. */
  finish(attempt: Attempt, outcome: Captured | Failed, now: number): Promise<boolean>
  /** What is still held of this root is for everyone. */
  letGo(root: { projectId: string; rootId: string }, now: number): Promise<void>
  /**
   * Back to the queue, not before `due`. An attempt that does not count was no fault of the page; `died`: its process has
   * died, which is counted apart. False where the attempt is not the last one any more.
   */
  putBack(attempt: Attempt, options: PutBack): Promise<boolean>
  /** Undefined where there is no such request; roots that were imported have none. */
  findProgress(projectId: string, rootId: string): Promise<RootProgress | undefined>
  /** From one instant. `since`: a version; 0 for everything. Undefined as above. */
  findChanges(projectId: string, rootId: string, since: number): Promise<Changes | undefined>
  /**
   * Writes down a request that is finished, for a root that was added with its results; once. It has no events: nobody
   * waits for it here.
   */
  adopt(projectId: string, rootId: string, progress: RootProgress): Promise<void>
  /** Of the progress of a request; undefined as above. */
  findVersion(projectId: string, rootId: string): Promise<number | undefined>
  /** One answer for each, in their order. */
  findVersions(roots: readonly { projectId: string; rootId: string }[]): Promise<(number | undefined)[]>
}
