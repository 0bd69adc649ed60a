import type { Logger } from 'pino'
import { AppError } from '../errors.ts'
import { type CaptureTask, SUSPECT_DEATHS } from '../store/captures.ts'

export const MAX_ATTEMPTS = 3
/** Deaths of processes before a page fails: SUSPECT_DEATHS beside other pages, the rest with nothing else under way. */
export const MAX_DEATHS = 10
/** The pause after a failure that is not the fault of the page. */
const PAUSE_IF_OURS_MS = 5_000
/** The disk has space, but not for this picture. So the picture is not taken every few seconds in vain. */
const PAUSE_WITHOUT_ROOM_MS = 20_000
const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 60_000

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
  /** Additional captures, for projects that have nothing under way. So the first page of a project does not wait for others. */
  readonly extra?: number
  readonly log: Pick<Logger, 'warn' | 'error'>
  readonly clock?: () => number
  /** Called before a capture begins. Returns the reason if none may begin at the moment. */
  readonly mayNotBegin?: () => Promise<unknown>
  /** A process that has not renewed its leases for this long is dead. */
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

/** Whether the page is not to blame: the storage is away or full, or there is no browser. */
export function isOurs(error: unknown): boolean {
  const codes = ['unavailable', 'storage_full', 'read_only', 'storage_failed', 'no_browser']
  return error instanceof AppError && codes.includes(error.code)
}

/** How long to wait after a process died at a page. Only pages that may kill their process have to wait. */
export function delayAfterDeath({ deaths }: { deaths: number }): number {
  return deaths < SUSPECT_DEATHS ? 0 : Math.min(LONGEST_PAUSE_MS / 2, 1_000 * 2 ** (deaths - SUSPECT_DEATHS))
}

/** How long to wait before the next attempt. Longer each time, if the page may be the reason. */
export function pauseAfter(error: unknown, { attempts }: Pick<CaptureTask, 'attempts'>): number {
  if (error instanceof AppError && error.code === 'storage_full') return PAUSE_WITHOUT_ROOM_MS
  return isOurs(error) ? PAUSE_IF_OURS_MS : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 4 ** (attempts - 1))
}
