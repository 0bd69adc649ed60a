/** Where a bucket is. Without types of the SDK: a program that embeds the service may not have it. */
export interface BucketLocation {
  readonly bucket: string
  /** Put before every key of ours. Empty, or ends with a slash. */
  readonly prefix: string
  /** Undefined: AWS itself. */
  readonly endpoint: string | undefined
  /** Undefined: from the environment or the profile. */
  readonly region: string | undefined
  /** `path`: host/bucket/key, `virtual`: bucket.host/key. */
  readonly style: 'path' | 'virtual'
}
