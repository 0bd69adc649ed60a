import type { MarkCounts } from '../contract/browsing.ts'
import type { CaptureOptions, View } from '../contract/capture-options.ts'
import type { Mark } from '../contract/seen.ts'
import type { Counts, Origin } from '../contract/status.ts'
import type { SeenText } from './job-text.ts'

export interface ShownJob {
  readonly rootId: string
  readonly url: string
  readonly name: string
  readonly created: number
  readonly text: SeenText
  /** Undefined if it was imported. */
  readonly view: View | undefined
}

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
  readonly tag?: string | undefined
  readonly mark?: Mark | undefined
  /** The id of the template it was made from. */
  readonly template?: string | undefined
}

/** The first rows of a root, or the first whose name or address has the text `q`. */
export interface First {
  readonly limit: number
  readonly q?: string | undefined
}
