import type { OwnOptions } from '../contract/capture-options.ts'

/** A job as answers hold it, but for what its addresses and its root say: made by the database, many at a time. */
export interface JobText {
  readonly position: number
  readonly uuid: string
  /** JSON, from `"url":{` to the end of `"screenshotParameter":{…}`. */
  readonly fields: string
}

/** The same, with what its capture says of the page. */
export interface SeenText extends JobText {
  /** JSON; empty where it is not known. */
  readonly seen: string
  readonly ownOptions: OwnOptions | undefined
}
