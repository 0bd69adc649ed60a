import type { Counts } from '../contract/status.ts'
import type { JobText } from './store.ts'

/** What was asked for, and how far it is. */
export interface RequestSummary {
  readonly tags: readonly string[]
  readonly counts: Counts
}

/**
 * What is known, as people look at it: a little of much. What it costs follows from what is answered, not from how
 * much there is. Throws as the store does.
 */
export interface Browsing {
  /** By root. Those that were imported have none. */
  requestsOf(projectId: string, rootIds: readonly string[]): Promise<Map<string, RequestSummary>>
  /** The first jobs of each of these roots, at most `limit`, by root. */
  firstTexts(projectId: string, rootIds: readonly string[], limit: number): Promise<Map<string, JobText[]>>
}
