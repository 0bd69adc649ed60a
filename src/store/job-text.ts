import type { OwnOptions } from '../contract/capture-options.ts'
import type { RootHead } from './rows.ts'

/** A job as the text of an answer, without its addresses and the ids of its root. The database makes many at a time. */
export interface JobText {
  readonly position: number
  readonly uuid: string
  /** The name of its picture. */
  readonly picture: string
  /** JSON, from `"url":{` to the end of `"screenshotParameter":{…}`. */
  readonly fields: string
}

/** A root with some or all of its jobs, from one instant. */
export interface RootTexts {
  readonly head: RootHead
  readonly jobs: JobText[]
}

/** A root and the positions of its jobs, from one instant. */
export interface RootPositions {
  readonly head: RootHead
  readonly first: number
  /** Smaller than `first` if there are no jobs. */
  readonly last: number
  /** All positions, ascending. Undefined if there are no gaps from the first to the last. */
  readonly only: readonly number[] | undefined
}

/** The same, with what its capture has seen of the page. */
export interface SeenText extends JobText {
  /** JSON. Empty if it is not known. */
  readonly seen: string
  readonly ownOptions: OwnOptions | undefined
}
