import type { Logger } from 'pino'
import type { CaptureTask } from '../../store/captures.ts'

/** Attempts at a page before it fails. */
export const MAX_ATTEMPTS = 3
/** Deaths of processes before a page fails: SUSPECT_DEATHS beside other pages, the rest with nothing else under way. */
export const MAX_DEATHS = 10

/** A page failed while its process stood still, so the fault is unknown. It counts like a death of the process. */
export class StoodStill extends Error {
  override readonly name = 'StoodStill'
}

/**
 * Captures one page and writes its end to the store, done or failed. Throws if the page is not the reason: then it is tried
 * again later. The signal is aborted if another process has taken over, or if the queue closes.
 */
export type Work = (task: CaptureTask, signal: AbortSignal) => Promise<void>

export interface QueueOptions {
  readonly work: Work
  /** Captures under way at a time. 0: only other processes capture. */
  readonly concurrency: number
  /** So many more, for projects that have nothing under way. So the first page of a project does not wait for others. */
  readonly extra?: number
  readonly log: Pick<Logger, 'warn' | 'error'>
  readonly clock?: () => number
  /** Called before a capture begins. Returns why none may begin at the moment, if that is so. */
  readonly mayNotBegin?: () => Promise<unknown>
  /** A process that has not renewed its leases for so long is dead. */
  readonly leaseMs?: number
  /** Captures only requests that this queue accepted, and no other process captures them. For a command that captures. */
  readonly ownOnly?: boolean
}

/** Chooses what is captured next. Every accepted page is captured at least once, and ended once. */
export interface Queue {
  /** Until when a request is held for this queue alone. */
  readonly heldUntil?: (now: number) => number
  /** This process has accepted a request: the queue looks at once. */
  wake(root: { projectId: string; rootId: string }): void
  /** Begins nothing more. Captures under way go back to the queue. */
  close(): Promise<void>
}
