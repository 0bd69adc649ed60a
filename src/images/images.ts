import type { Readable } from 'node:stream'

/** `<projectId>/<uuid>.png` or `<projectId>/<uuid>-preview.png`: always made here, never taken from user text. */
export type ImageKey = `${string}/${string}.png`

export function pictureKey(projectId: string, uuid: string): ImageKey {
  return `${projectId}/${uuid}.png`
}

export function previewKey(projectId: string, uuid: string): ImageKey {
  return `${projectId}/${uuid}-preview.png`
}

export interface KeyParts {
  readonly projectId: string
  readonly uuid: string
  readonly file: 'picture' | 'preview'
}

export function parseKey(key: ImageKey): KeyParts {
  const [projectId = '', name = ''] = key.slice(0, -'.png'.length).split('/')
  const uuid = name.replace(/-preview$/, '')
  return { projectId, uuid, file: uuid === name ? 'picture' : 'preview' }
}

const NAME = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-preview)?\.png$/

/** The key of what lies under this name among the files of a project; undefined where that is none of ours. */
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

/** `damaged`: cut off, empty, or something else than a plain file of ours. */
export type Condition = 'whole' | 'missing' | 'damaged'

/** Pictures on their way in: added one by one, then made visible together. */
export interface ImageBatch {
  add(key: ImageKey, bytes: Uint8Array): Promise<void>
  /**
   * When this resolves every added image is durable under its key and survives a power cut. `before` is called before
   * each of them, and stops it by throwing; `after` when it is there.
   */
  publish(steps?: { before?: () => void; after?: () => void }): Promise<void>
  /** Removes what was added and not published. Never throws; harmless after `publish`. */
  discard(): Promise<void>
}

/** What lies in a store, whether a result points at it or not. */
export interface StoredImage {
  readonly key: ImageKey
  /** In Unix milliseconds. */
  readonly modified: number
}

/** How much more a store can hold. */
export interface Room {
  readonly totalBytes: number
  readonly freeBytes: number
  /** Less is free than is kept for others: nothing that is large is to be stored. */
  readonly isFull: boolean
}

/** Makes addresses that are the same for a whole signing window. */
export interface Addresses {
  /** Two `Addresses` with equal tags make equal addresses. */
  readonly tag: string
  address(key: ImageKey): string
}

/**
 * Where pictures lie and how they are addressed. An image never changes once a result points at it.
 * Methods may throw AppError `storage_full`, `storage_failed` or `unavailable`. What a `publish` that failed has
 * already put under its keys stays there, and belongs to no result.
 */
export interface Images {
  startBatch(): Promise<ImageBatch>
  /** `origin`: how the client reaches the service, where the addresses lead back to it. */
  addresses(at: { now: number; origin: string }): Addresses | Promise<Addresses>
  /**
   * The image that a path of this service (with its query) was signed for. Throws `not_found` for what is no
   * image path of the service's (and so always where the addresses lead elsewhere), `address_invalid` for whatever
   * `addresses` did not make, `address_expired` after its time.
   */
  verify(path: string, now: number): { key: ImageKey; expiresMs: number }
  /** Undefined where there is none that is whole; `condition` says why. */
  open(key: ImageKey): Promise<OpenImage | undefined>
  /** Without reading it: cheap enough to be asked of every picture. */
  condition(key: ImageKey): Promise<Condition>
  /** All that lies under the keys of a project, some at a time, in no order. */
  walk(projectId: string): AsyncGenerator<readonly StoredImage[]>
  /** For good, and durable when it resolves. What is not there is no failure. `before` as for `publish`. */
  remove(keys: readonly ImageKey[], before?: () => void): Promise<void>
  /** From now on a second database points at these pictures: what one does not know the other may. */
  setShared(): Promise<void>
  isShared(): Promise<boolean>
  /**
   * Removes what killed processes left on its way in: a day later, and where nothing has changed since the last call.
   * Answers how many batches.
   */
  tidy(): Promise<number>
  /** The id of the store that these pictures are part of. */
  findStoreId(): Promise<string | undefined>
  /** Keeps it with the pictures, unless there is one already. Answers the one that is there. */
  keepStoreId(storeId: string): Promise<string>
  /** Whether there is any picture at all. Undefined where that cannot be told. */
  holdsAny(): Promise<boolean | undefined>
  /** Undefined where there is always more. */
  room(): Promise<Room | undefined>
  /** Throws where the store cannot answer. */
  check(): Promise<void>
  close(): Promise<void>
}
