import type { Counts } from '../contract/status.ts'
import type { JobText } from './store.ts'

/** What was asked for, and how far it is. */
export interface RequestSummary {
  readonly tags: readonly string[]
  readonly counts: Counts
}

/** Which roots: one of the two, or both. */
export interface RootFilter {
  /**
   * Part of the name or the address of one of its jobs, or of one of the pages that were asked for. Never empty; holds
   * what every database can hold. Case does not matter.
   */
  readonly q?: string | undefined
  /** One of the tags of its request. */
  readonly tag?: string | undefined
}

/**
 * What is known, as people look at it: a little of much. What it costs follows from what is answered, not from how
 * much there is. Throws as the store does.
 */
export interface Browsing {
  /** By root. Those that were imported have none. */
  requestsOf(projectId: string, rootIds: readonly string[]): Promise<Map<string, RequestSummary>>
  /**
   * The first jobs of each of these roots, at most `limit`, by root; with `q`, of those that match. Then all jobs of
   * these roots may have to be looked at.
   */
  firstTexts(
    projectId: string,
    rootIds: readonly string[],
    first: { limit: number; q?: string | undefined },
  ): Promise<Map<string, JobText[]>>
  /** Those of these roots that match. All their jobs, and all that was asked for, may have to be looked at. */
  matching(projectId: string, rootIds: readonly string[], filter: RootFilter): Promise<Set<string>>
}
