/** A job as answers hold it, but for what its addresses and its root say: made by the database, many at a time. */
export interface JobText {
  readonly position: number
  readonly uuid: string
  /** JSON, from `"url":{` to the end of `"screenshotParameter":{…}`. */
  readonly fields: string
}
