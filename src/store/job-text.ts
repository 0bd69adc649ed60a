import type { OwnOptions } from '../contract/capture-options.ts'
import type { RootHead } from './store.ts'

/** A job as answers hold it, but for what its addresses and its root say: made by the database, many at a time. */
export interface JobText {
  readonly position: number
  readonly uuid: string
  /** JSON, from `"url":{` to the end of `"screenshotParameter":{…}`. */
  readonly fields: string
}

/** A root with jobs of it, all from one instant. */
export interface RootTexts {
  readonly head: RootHead
  readonly jobs: JobText[]
}

/** A root, and at which positions it has jobs, both from one instant. */
export interface RootPositions {
  readonly head: RootHead
  readonly first: number
  /** Smaller than the first where there are none. */
  readonly last: number
  /** All of them, ascending; undefined where there are jobs from the first to the last without a gap. */
  readonly only: readonly number[] | undefined
}

/** The same, with what its capture says of the page. */
export interface SeenText extends JobText {
  /** JSON; empty where it is not known. */
  readonly seen: string
  readonly ownOptions: OwnOptions | undefined
}
