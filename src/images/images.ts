import type { Readable } from 'node:stream'

/** `<projectId>/<picture>.png` or `<projectId>/<picture>-preview.png`. Made here, never from the text of a user. */
export type ImageKey = `${string}/${string}.png`

/** The files of a job: its picture, and a small copy of it. `picture`: its name, which the row of the job says. */
export interface Files {
  readonly picture: ImageKey
  readonly preview: ImageKey
}

export function filesOf(projectId: string, { picture }: { readonly picture: string }): Files {
  return { picture: `${projectId}/${picture}.png`, preview: `${projectId}/${picture}-preview.png` }
}

export function parseKey(key: ImageKey): { projectId: string; picture: string; file: keyof Files } {
  const [projectId = '', name = ''] = key.slice(0, -'.png'.length).split('/')
  const picture = name.replace(/-preview$/, '')
  return { projectId, picture, file: picture === name ? 'picture' : 'preview' }
}

const NAME = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-preview)?\.png$/

/** The key of a file of a project, by its name. Undefined if it is not a file of ours. */
export function parseName(projectId: string, name: string): ImageKey | undefined {
  return NAME.test(name) ? `${projectId}/${name as `${string}.png`}` : undefined
}

/** The content type of everything an image store holds. */
export const IMAGE_TYPE = 'image/png'

/** An image opened for reading. Call `stream` once, or `close`. */
export interface OpenImage {
  readonly size: number
  /** A strong validator, in quotes. */
  readonly etag: string
  readonly modified: Date
  /** Bytes `start` to `end`, both included. */
  stream(range: { start: number; end: number }): Readable
  close(): Promise<void>
}

/** `damaged`: cut off, empty, or not a plain file. */
export type Condition = 'whole' | 'missing' | 'damaged'

/** Pictures that are being stored: added one by one, then published together. */
export interface ImageBatch {
  add(key: ImageKey, bytes: Uint8Array): Promise<void>
  /** Resolves when every added image survives a power cut. `before` is called before each image, and can stop it by throwing. */
  publish(steps?: { before?: () => void; after?: () => void }): Promise<void>
  /** Removes images that were added and not published. Never throws. Does nothing after `publish`. */
  discard(): Promise<void>
}

/** A stored file, whether a result points at it or not. */
export interface StoredImage {
  readonly key: ImageKey
  /** In Unix milliseconds. */
  readonly modified: number
}

/** The space on the disk. */
export interface DiskSpace {
  readonly totalBytes: number
  readonly freeBytes: number
  /** Less is free than the reserve for the database: store nothing large. */
  readonly isFull: boolean
  /** Inodes are missing; bytes may be free. */
  readonly lacksInodes: boolean
}

/** Makes addresses that are the same for a whole signing window. */
export interface Addresses {
  /** Two `Addresses` with equal tags make equal addresses. */
  readonly tag: string
  address(key: ImageKey): string
}

/**
 * Stores pictures and makes their addresses. An image never changes once a result points at it. Methods may throw
 * AppError `storage_full`, `read_only`, `storage_failed` or `unavailable`. After a `publish` that failed, some images may stay under
 * their keys; no result points at them.
 */
export interface Images {
  startBatch(): Promise<ImageBatch>
  /** `origin`: the address of the service, for addresses that lead back to it. */
  addresses(at: { now: number; origin: string }): Addresses | Promise<Addresses>
  /**
   * The image of a signed path (with its query). Throws `not_found` if it is not the path of an image (always for S3, whose
   * addresses lead to the bucket), `address_invalid` if `addresses` did not make it, `address_expired` after its time.
   */
  verify(path: string, now: number): { key: ImageKey; expiresMs: number }
  /** Undefined if the image is missing or damaged; `condition` says which. */
  open(key: ImageKey): Promise<OpenImage | undefined>
  /** Does not read the whole image: cheap enough for every picture. */
  condition(key: ImageKey): Promise<Condition>
  /** All images of a project, some at a time, in no order. */
  walk(projectId: string): AsyncGenerator<readonly StoredImage[]>
  /** Removes images for good; durable when it resolves. A missing image is no failure. `before` as for `publish`. */
  remove(keys: readonly ImageKey[], before?: () => void): Promise<void>
  /** Marks the pictures as used by a second database: an image that one database does not know may belong to the other. */
  setShared(): Promise<void>
  isShared(): Promise<boolean>
  /** Removes batches of killed processes, a day later, if they have not changed since the last call. Returns how many. */
  tidy(): Promise<number>
  /** The id of the store that these pictures are part of. */
  findStoreId(): Promise<string | undefined>
  /** Writes the id beside the pictures, unless there is one. Returns the id that is there. */
  keepStoreId(storeId: string): Promise<string>
  /** Whether there is any picture. Undefined if that is not known. */
  holdsAny(): Promise<boolean | undefined>
  /** Undefined if there is no limit. */
  room(): Promise<DiskSpace | undefined>
  /** Throws if the storage does not answer. */
  check(): Promise<void>
  /** Throws `storage_full` or `read_only`, with a message for clients. It tries, at most every few seconds while that works. */
  checkWriting(): Promise<void>
  /** Whether the last try to store something failed for such a reason. */
  hasFailedToWrite(): boolean
  close(): Promise<void>
}

/** When an address was signed and when it expires, in Unix seconds. The same for every `now` within one signing window. */
export function signingWindow(now: number, windowMs: number): { signed: number; expires: number } {
  const start = Math.floor(now / windowMs) * windowMs
  // Two windows from the start of this one: an address is valid for one to two windows.
  return { signed: Math.floor(start / 1000), expires: Math.floor((start + 2 * windowMs) / 1000) }
}
