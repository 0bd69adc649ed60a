/** A job as answers hold it, but for what its addresses and its root say: made by the database, many at a time. */
export interface JobText {
  readonly position: number
  readonly uuid: string
  /** JSON, from `"url":{` to the end of `"screenshotParameter":{…}`. */
  readonly fields: string
}

/** The same, with what was seen of its page. */
export interface SeenText extends JobText {
  /** JSON; empty where it is not known. */
  readonly seen: string
}
