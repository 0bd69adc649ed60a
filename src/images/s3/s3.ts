import { Readable } from 'node:stream'
import { parseId } from '../../contract/ids.ts'
import { AppError } from '../../errors.ts'
import { createWriteProbe } from '../../files/write-probe.ts'
import { fingerprintOf } from '../../secrets/key-list.ts'
import { inParallel } from '../../work/limiter.ts'
import {
  type Addresses,
  type Condition,
  IMAGE_TYPE,
  type ImageBatch,
  type ImageKey,
  type Images,
  type OpenImage,
  parseName,
  type StoredImage,
  signingWindow,
} from '../images.ts'
import { type BucketSettings, openBucket, type S3Bucket } from './bucket.ts'
import { keepCredentials } from './credentials.ts'
import { toImagesError, unlessDenied, unlessMissing } from './errors.ts'
import { putObject } from './put-object.ts'
import { createPresigner, type S3Credentials } from './sigv4.ts'
import { openSpool, trySpool } from './spool.ts'

const UPLOADS_AT_ONCE = 16
const SHARED = '.proofsheet/shared'
const STORE_ID = '.store'
/** The longest time in which an address is given out. */
const CACHE_CONTROL = 'public, max-age=86400, immutable'
/** S3 accepts no address that is valid for longer. */
const LONGEST_SECONDS = 7 * 86_400
const REMOVED_AT_ONCE = 16

export async function openS3Images(
  settings: BucketSettings & { readonly windowMs: number },
): Promise<Images> {
  const bucket = await openBucket(settings)
  const addresses = createS3Addresses(bucket, settings)
  const probe = createWriteProbe(() => translating(trySpool))
  return {
    startBatch: () => startBatch(bucket),
    addresses: ({ now }) => addresses(now),
    verify: () => {
      throw new AppError('not_found')
    },
    open: (key) => openImage(bucket, key),
    condition: (key) => conditionOf(bucket, key),
    walk: (projectId) => walkObjects(bucket, projectId),
    remove: (keys, before) => removeObjects(bucket, keys, before),
    setShared: async () => {
      const object = { ...bucket.object(SHARED), Body: Buffer.from('two databases') }
      await bucket.run((s3, options) => putObject(s3, object, options))
    },
    isShared: async () => (await conditionOf(bucket, SHARED)) !== 'missing',
    // Unpublished pictures are files without names: there is nothing to remove.
    tidy: async () => 0,
    findStoreId: () => findStoreId(bucket),
    keepStoreId: (storeId) => keepStoreId(bucket, storeId),
    holdsAny: () => holdsAny(bucket),
    room: async () => undefined,
    check: () => checkBucket(bucket),
    // A bucket that refuses uploads is told by the captures that fail.
    checkWriting: () => probe.check(),
    hasFailedToWrite: probe.hasFailed,
    close: async () => bucket.close(),
  }
}

/** Pictures wait on the local disk until they are published: an earlier upload could overwrite one that a result points at. */
async function startBatch(bucket: S3Bucket): Promise<ImageBatch> {
  const spool = await translating(async () => openSpool())
  const waiting: { key: ImageKey; size: number; read: () => Promise<Buffer> }[] = []
  return {
    async add(key, bytes) {
      waiting.push({ key, size: bytes.length, read: await translating(() => spool.keep(bytes)) })
    },
    async publish({ before, after } = {}) {
      const upload = ({ key, size, read }: (typeof waiting)[number]) =>
        bucket.run(async (s3, options) => {
          const object = {
            ...bucket.object(key),
            Body: await translating(read),
            ContentType: IMAGE_TYPE,
            CacheControl: CACHE_CONTROL,
          }
          await putObject(s3, object, { ...options, before })
        }, size)
      for await (const _ of inParallel(waiting, UPLOADS_AT_ONCE, upload)) after?.()
    },
    discard: () => spool.close().catch(() => {}),
  }
}

async function openImage(bucket: S3Bucket, key: ImageKey): Promise<OpenImage | undefined> {
  const object = bucket.object(key)
  const get = (part: { Range?: string; IfMatch?: string } = {}) =>
    bucket.read((s3, options) => s3.getObject({ ...object, ...part }, options))
  const whole = await get().catch(unlessMissing)
  if (!whole) return undefined
  const { ContentLength: size, ETag: etag = '""', LastModified: modified = new Date(0) } = whole
  const body = whole.Body as Readable
  if (!size) {
    body.destroy()
    if (size === 0) return undefined
    throw new AppError('storage_failed', `S3 does not say how large ${object.Key} is.`)
  }
  return {
    size,
    etag,
    modified,
    stream: ({ start, end }) => {
      if (start === 0 && end === size - 1) return Readable.from(explained(body), { objectMode: false })
      body.destroy()
      const part = get({ Range: `bytes=${start}-${end}`, IfMatch: etag })
      return Readable.from(explained(part.then(({ Body }) => Body as Readable)), { objectMode: false })
    },
    close: async () => void body.destroy(),
  }
}

/** An incomplete upload is not stored: S3 compares its length with the announced length. */
async function conditionOf(bucket: S3Bucket, name: string): Promise<Condition> {
  const object = bucket.object(name)
  const head = await bucket.run((s3, options) => s3.headObject(object, options)).catch(unlessMissing)
  if (!head) return 'missing'
  return head.ContentLength ? 'whole' : 'damaged'
}

async function* explained(body: Readable | Promise<Readable>): AsyncGenerator<Uint8Array> {
  try {
    yield* await body
  } catch (error) {
    throw toImagesError(error)
  }
}

/** Asks for a missing object. The answer shows whether bucket, credentials and signature are right. */
async function checkBucket(bucket: S3Bucket): Promise<void> {
  const nothing = bucket.object('.proofsheet/nothing')
  const found = await bucket
    .run((s3, options) => s3.getObject(nothing, options))
    .catch(unlessMissing)
    .catch(unlessDenied)
  if (!found) return
  const body = found.Body as Readable
  body.destroy()
  throw new AppError('storage_failed', 'The server does not answer as S3 does.')
}

async function findStoreId(bucket: S3Bucket): Promise<string | undefined> {
  const read = bucket.run(async (s3, options) => {
    const { Body } = await s3.getObject(bucket.object(STORE_ID), options)
    return await Body?.transformToString()
  })
  // Some servers show an incomplete object while it is being written.
  const text = await read.catch(unlessMissing).catch(unlessDenied)
  return parseId(text?.trim() ?? '')
}

/** Not every store can write an object only if it is missing. So it is read again after writing. */
async function keepStoreId(bucket: S3Bucket, storeId: string): Promise<string> {
  const kept = await findStoreId(bucket)
  if (kept !== undefined) return kept
  const object = { ...bucket.object(STORE_ID), Body: `${storeId}\n`, ContentType: 'text/plain' }
  await bucket.run((s3, options) => s3.putObject(object, options))
  return (await findStoreId(bucket)) ?? storeId
}

/** Lists only the names of folders: the bucket may contain other things. */
async function holdsAny(bucket: S3Bucket): Promise<boolean | undefined> {
  const { Bucket, Key: Prefix } = bucket.object('')
  const folders = { Bucket, Prefix, Delimiter: '/' }
  const listed = await bucket.run((s3, options) => s3.listObjectsV2(folders, options)).catch(unlessDenied)
  if (!listed) return undefined
  const names = (listed.CommonPrefixes ?? []).map((each) => each.Prefix?.slice(Prefix.length, -1) ?? '')
  return names.some((name) => parseId(name) !== undefined)
}

/** Translates errors of the temporary folder. */
async function translating<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw new AppError('storage_full', 'The disk for temporary files is full (TMPDIR).', { cause: error })
    const told = `The folder for temporary files failed (TMPDIR): ${message}`
    throw new AppError('storage_failed', told, { cause: error })
  }
}

type Signer = Pick<S3Bucket, 'address' | 'region'> & { credentials: () => Promise<S3Credentials> }

/** Presigned addresses. They are the same within one signing window and with the same credentials. */
export function createS3Addresses(
  { address: bucket, region, credentials: load }: Signer,
  { prefix, windowMs }: { prefix: string; windowMs: number },
) {
  const currentCredentials = keepCredentials(load)
  const location = `${region}.${bucket.host}.${bucket.origin}${bucket.path}${prefix}`
  let last: { credentials: S3Credentials; signed: number; addresses: Addresses } | undefined
  return async (now: number): Promise<Addresses> => {
    const credentials = await currentCredentials(now)
    const { signed, expires: wanted } = signingWindow(now, windowMs)
    if (last?.credentials === credentials && last.signed === signed) return last.addresses
    const end = credentials.expiration ? Math.floor(credentials.expiration.getTime() / 1000) : wanted
    const expires = Math.min(wanted, signed + LONGEST_SECONDS, end)
    const secret = `${credentials.secretAccessKey}\n${credentials.sessionToken ?? ''}`
    const fingerprint = fingerprintOf('S3', Buffer.from(secret))
    const presign = createPresigner({ bucket, region, credentials, signed, expires })
    const tag = `${credentials.accessKeyId}.${fingerprint}.${signed}.${expires}.${location}`
    const addresses = { tag, address: (key: string) => presign(prefix + key) }
    last = { credentials, signed, addresses }
    return addresses
  }
}

/** See `Images.walk`. Gives as many as S3 lists in one answer. */
async function* walkObjects(bucket: S3Bucket, projectId: string): AsyncGenerator<StoredImage[]> {
  const { Bucket, Key: Prefix } = bucket.object(`${projectId}/`)
  for (let ContinuationToken: string | undefined; ; ) {
    const page = { Bucket, Prefix, ContinuationToken }
    const listed = await bucket.run((s3, options) => s3.listObjectsV2(page, options))
    yield (listed.Contents ?? []).flatMap(({ Key = '', LastModified }) => {
      const key = parseName(projectId, Key.slice(Prefix.length))
      return key && LastModified ? [{ key, modified: LastModified.getTime() }] : []
    })
    ContinuationToken = listed.NextContinuationToken
    if (!listed.IsTruncated || ContinuationToken === undefined) return
  }
}

/** See `Images.remove`. One request for each: not every store supports removing many at once. */
async function removeObjects(
  bucket: S3Bucket,
  keys: readonly ImageKey[],
  before?: () => void,
): Promise<void> {
  const remove = (key: ImageKey) =>
    bucket.run((s3, options) => {
      before?.()
      return s3.deleteObject(bucket.object(key), options)
    })
  for await (const _ of inParallel(keys, REMOVED_AT_ONCE, remove));
}
