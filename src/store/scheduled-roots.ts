import type { RootKey } from './rows.ts'

/**
 * Roots whose pages are captured later, once. They are accepted as all others (`Captures.accept`). Their captures are not in
 * the queue, and do not count as waiting. Errors are those of `Store`.
 */
export interface ScheduledRoots {
  /** Roots whose time has come, the earliest first. None of a project that is being removed. */
  findDue(now: number, limit: number): Promise<RootKey[]>
  /** Queues the pages of a root. False if another process was faster, or it was cancelled. */
  begin(root: RootKey, now: number): Promise<boolean>
  /**
   * Its pages will not be captured: the root is finished, its sealed secrets are deleted, and the event is written.
   * False if it has begun. True also if it was cancelled before.
   */
  cancel(root: RootKey, now: number): Promise<boolean>
}
