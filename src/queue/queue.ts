import type { Logger } from 'pino'
import type { CaptureTask } from '../store/captures.ts'

/** How often capturing one page is begun before it is given up. */
export const MAX_ATTEMPTS = 3
/** How often a process may die at a page: SUSPECT_DEATHS times beside others, and then with nothing else under way. */
export const MAX_DEATHS = 10

/** A page failed while its process stood still: no fault that can be told. It counts like a death of the process. */
export class StoodStill extends Error {
  override readonly name = 'StoodStill'
}

/**
 * Captures one page and ends it in the store, whatever became of it. Throws what has nothing to do with the page: then
 * it is tried again later. The signal tells that it is not ours any more, or that there is no time left.
 */
export type Work = (task: CaptureTask, signal: AbortSignal) => Promise<void>

export interface QueueOptions {
  readonly work: Work
  /** Captures under way at a time. 0: others work it off. */
  readonly concurrency: number
  /** So many more, for projects that have nothing under way: nobody's first page waits for another's to end. */
  readonly extra?: number
  readonly log: Pick<Logger, 'warn' | 'error'>
  readonly clock?: () => number
  /** Asked before a capture begins: why none may at the moment. */
  readonly mayNotBegin?: () => Promise<unknown>
  /** A process that has not renewed its leases for so long has died. */
  readonly leaseMs?: number
  /** Only what was accepted through this very queue, and nobody else takes that: for a command that captures itself. */
  readonly ownOnly?: boolean
}

/** Who captures what next. Whatever was accepted is captured at least once, and ended once. */
export interface Queue {
  /** For requests that are to be accepted for this queue alone: until when. */
  readonly heldUntil?: (now: number) => number
  /** Something was accepted by this process: there is no need to wait until it is looked for. */
  wake(root: { projectId: string; rootId: string }): void
  /** Begins nothing more; what is under way is given back. */
  close(): Promise<void>
}
