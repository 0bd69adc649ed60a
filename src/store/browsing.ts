import type { MarkCounts, PageFailure } from '../contract/browsing.ts'
import type { CaptureOptions, View } from '../contract/capture-options.ts'
import type { Mark } from '../contract/seen.ts'
import type { Counts } from '../contract/status.ts'
import type { SeenText } from './job-text.ts'

/** A job of any root. */
export interface ShownJob {
  readonly rootId: string
  readonly url: string
  readonly name: string
  readonly created: number
  readonly text: SeenText
  /** How it was asked for. None, where it was imported. */
  readonly view: View | undefined
}

/** A place in the history of an address. */
export interface JobPosition {
  readonly created: number
  readonly position: number
  readonly uuid: string
}

/** An address that was looked at. */
export interface LookedPage {
  readonly url: string
  /** The last job of it. None, where all are of roots that are not shown. */
  readonly uuid: string | undefined
  /** The same, where the address or its name matches. */
  readonly latest: ShownJob | undefined
}

export interface PictureCount {
  readonly pictures: number
  /** When the first of all was made. */
  readonly oldest: number
}

/** What was asked for, and how far it is. */
export interface RequestSummary {
  readonly options: CaptureOptions
  readonly counts: Counts
  readonly marks: MarkCounts
}

/** Which roots: those that everything here is true of. */
export interface RootFilter {
  /**
   * Part of the name or the address of one of its jobs, or of one of the pages that were asked for. Never empty; holds
   * what every database can hold. Case does not matter.
   */
  readonly q?: string | undefined
  /** One of the tags of its request. */
  readonly tag?: string | undefined
  /** A mark of one of its pages. */
  readonly mark?: Mark | undefined
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
  ): Promise<Map<string, SeenText[]>>
  /** The same of the pages that failed. What was imported has none. */
  firstFailures(
    projectId: string,
    rootIds: readonly string[],
    first: { limit: number; q?: string | undefined },
  ): Promise<Map<string, PageFailure[]>>
  /** A job that is shown. */
  findJob(projectId: string, uuid: string): Promise<ShownJob | undefined>
  /**
   * The next addresses, in the order of their bytes, from just behind `after`; fewer than `limit` where nothing
   * follows. PostgreSQL orders those that share their first 500 characters in a way of its own, which never changes.
   */
  nextPages(
    projectId: string,
    next: { after?: string | undefined; limit: number; q?: string | undefined },
  ): Promise<LookedPage[]>
  /** One answer for each address, in their order. More than `most` are not counted. */
  countPictures(projectId: string, urls: readonly string[], most: number): Promise<PictureCount[]>
  /** The jobs of an address: newest first, then in the order of their request, then by id; from just behind `after`. */
  pageHistory(
    projectId: string,
    url: string,
    page: { after?: JobPosition | undefined; limit: number },
  ): Promise<ShownJob[]>
  /** Those of these roots that match. All their jobs, and all that was asked for, may have to be looked at. */
  matching(projectId: string, rootIds: readonly string[], filter: RootFilter): Promise<Set<string>>
}
