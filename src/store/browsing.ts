import type { MarkCounts, PageFailure } from '../contract/browsing.ts'
import type { CaptureOptions, View } from '../contract/capture-options.ts'
import type { Mark } from '../contract/seen.ts'
import type { Counts, Origin } from '../contract/status.ts'
import type { SeenText } from './job-text.ts'

/** A job of any root. */
export interface ShownJob {
  readonly rootId: string
  readonly url: string
  readonly name: string
  readonly created: number
  readonly text: SeenText
  /** Undefined if it was imported. */
  readonly view: View | undefined
}

/** A position in the history of an address. */
export interface JobPosition {
  readonly created: number
  readonly position: number
  readonly uuid: string
}

/** An address that was read. */
export interface LookedPage {
  readonly url: string
  /** Its newest job. Undefined if none of its roots is shown. */
  readonly uuid: string | undefined
  /** Its newest job, if the address or the name matches. */
  readonly latest: ShownJob | undefined
}

export interface PictureCount {
  readonly pictures: number
  /** When its first picture was made. */
  readonly oldest: number
}

export interface NewestCount {
  readonly pictures: number
  readonly hasMore: boolean
}

/** A request and its counts. */
export interface RequestSummary {
  readonly options: CaptureOptions
  readonly counts: Counts
  readonly marks: MarkCounts
  readonly origin?: Origin | undefined
}

/** Conditions for roots. A root must match all that are given. */
export interface RootFilter {
  /**
   * A part of the name or the address of one of its jobs or requested pages, in upper or lower case. Never empty. Every
   * database can store it.
   */
  readonly q?: string | undefined
  /** A tag of its request. */
  readonly tag?: string | undefined
  /** A mark of one of its pages. */
  readonly mark?: Mark | undefined
  /** The id of the template it was made from. */
  readonly template?: string | undefined
}

/**
 * Queries for answers to people. Their cost depends on the size of the answer, not on the size of the store. Errors are
 * those of `Store`.
 */
export interface Browsing {
  /** By root. Imported roots have none. */
  requestsOf(projectId: string, rootIds: readonly string[]): Promise<Map<string, RequestSummary>>
  /**
   * The first jobs of each of these roots, at most `limit`, by root. With `q`, the first that match: then all jobs of these
   * roots may have to be read.
   */
  firstTexts(
    projectId: string,
    rootIds: readonly string[],
    first: { limit: number; q?: string | undefined },
  ): Promise<Map<string, SeenText[]>>
  /** The same for failed pages. Imported roots have none. */
  firstFailures(
    projectId: string,
    rootIds: readonly string[],
    first: { limit: number; q?: string | undefined },
  ): Promise<Map<string, PageFailure[]>>
  /** A job of a root that is shown. */
  findJob(projectId: string, uuid: string): Promise<ShownJob | undefined>
  /**
   * The next addresses after `after`, in the order of their bytes. Fewer than `limit` if nothing follows. PostgreSQL has
   * another order for addresses that share their first 500 characters. It never changes.
   */
  nextPages(
    projectId: string,
    next: { after?: string | undefined; limit: number; q?: string | undefined },
  ): Promise<LookedPage[]>
  /** One count for each address, in their order. No more than `most` are counted. */
  countPictures(projectId: string, urls: readonly string[], most: number): Promise<PictureCount[]>
  /** How many pictures the newest roots of a project have together, at most `most` roots, and whether there are more roots. */
  countNewest(projectId: string, most: number): Promise<NewestCount>
  /** The jobs of an address after `after`: newest first, then in the order of their request, then by id. */
  pageHistory(
    projectId: string,
    url: string,
    page: { after?: JobPosition | undefined; limit: number },
  ): Promise<ShownJob[]>
  /** Those of these roots that match. All their jobs and captures may have to be read. */
  matching(projectId: string, rootIds: readonly string[], filter: RootFilter): Promise<Set<string>>
}
