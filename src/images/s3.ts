import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandInput,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { AppError } from '../errors.ts'
import { inParallel } from '../in-parallel.ts'
import { IMAGE_TYPE, type ImageBatch, type ImageKey, type Images, type OpenImage } from './images.ts'
import { createS3Addresses } from './s3-addresses.ts'
import { openBucket, type S3Bucket, type S3Place } from './s3-bucket.ts'
import { isMissing, toImagesError } from './s3-errors.ts'
import { encodeKey } from './sigv4.ts'

/** Pictures on their way in lie here until they are published: a copy within the bucket does it. */
const STAGING = '.staging/'
/** What a killed process left in staging is removed once no import can still be using it. */
const STAGING_KEPT_MS = 24 * 3_600_000
const COPIES_AT_ONCE = 16
/** As long as an address may be handed out: after that it has changed anyway. */
const CACHE_CONTROL = 'public, max-age=86400, immutable'

export async function openS3Images(
  place: S3Place & { readonly prefix: string; readonly windowMs: number },
): Promise<Images> {
  const { prefix, windowMs } = place
  const bucket = await openBucket(place)
  const { address, region, credentials } = bucket
  const addresses = createS3Addresses({ bucket: address, prefix, region, windowMs, credentials })
  const staging = createStaging(bucket, prefix)
  return {
    startBatch: staging.startBatch,
    addresses: ({ now }) => addresses(now),
    verify: () => {
      throw new AppError('not_found')
    },
    open: (key) => openImage(bucket, prefix + key),
    check: () => checkBucket(bucket, prefix),
    close: async () => {
      await staging.settle()
      bucket.close()
    },
  }
}

function createStaging(bucket: S3Bucket, prefix: string) {
  const Bucket = bucket.name
  /** Work that nobody waits for, but the end. */
  const under = new Set<Promise<void>>()
  const inBackground = (work: Promise<void>) => {
    const quiet = work.catch(() => {}).finally(() => under.delete(quiet))
    under.add(quiet)
  }
  let swept = false

  return {
    settle: () => Promise.all(under).then(() => {}),
    async startBatch(): Promise<ImageBatch> {
      if (!swept) inBackground(sweep(bucket, prefix + STAGING))
      swept = true
      const folder = `${prefix}${STAGING}${randomBytes(9).toString('base64url')}/`
      const begun = new Set<string>()
      const staged: { key: ImageKey; from: string }[] = []
      return {
        async add(key, bytes) {
          const from = folder + key.replace('/', '-')
          begun.add(from)
          const object = {
            Bucket,
            Key: from,
            Body: bytes,
            ContentType: IMAGE_TYPE,
            CacheControl: CACHE_CONTROL,
          }
          await bucket.run((s3, options) => s3.send(new PutObjectCommand(object), options))
          staged.push({ key, from })
        },
        async publish() {
          const copies = inParallel(staged, COPIES_AT_ONCE, ({ key, from }) => {
            const copy = { Bucket, Key: prefix + key, CopySource: `${Bucket}/${encodeKey(from)}` }
            return bucket.run((s3, options) => s3.send(new CopyObjectCommand(copy), options))
          })
          for await (const _ of copies);
        },
        async discard() {
          const left = [...begun]
          begun.clear()
          inBackground(remove(bucket, left))
        },
      }
    },
  }
}

async function remove(bucket: S3Bucket, keys: Iterable<string>): Promise<void> {
  const removals = inParallel(keys, COPIES_AT_ONCE, (Key) =>
    bucket
      .run((s3, options) => s3.send(new DeleteObjectCommand({ Bucket: bucket.name, Key }), options))
      .catch(() => {}),
  )
  for await (const _ of removals);
}

async function sweep(bucket: S3Bucket, staging: string): Promise<void> {
  const oldest = Date.now() - STAGING_KEPT_MS
  const { Contents = [] } = await bucket.run((s3, options) =>
    s3.send(new ListObjectsV2Command({ Bucket: bucket.name, Prefix: staging }), options),
  )
  const old = Contents.filter(({ LastModified }) => LastModified && LastModified.getTime() < oldest)
  await remove(
    bucket,
    old.map(({ Key = '' }) => Key),
  )
}

async function openImage(bucket: S3Bucket, Key: string): Promise<OpenImage | undefined> {
  const Bucket = bucket.name
  const head = await ifThere(
    bucket.run((s3, options) => s3.send(new HeadObjectCommand({ Bucket, Key }), options)),
  )
  if (!head?.ContentLength) return undefined
  const { ContentLength: size, ETag: etag = '""', LastModified: modified = new Date(0) } = head
  return {
    size,
    etag,
    modified,
    stream: ({ start, end }) => {
      const part = { Bucket, Key, Range: `bytes=${start}-${end}`, IfMatch: etag }
      return Readable.from(readAll(bucket, part), { objectMode: false })
    },
    close: async () => {},
  }
}

async function* readAll(bucket: S3Bucket, part: GetObjectCommandInput): AsyncGenerator<Uint8Array> {
  const { Body } = await bucket.run((s3, options) => s3.send(new GetObjectCommand(part), options))
  try {
    yield* Body as Readable
  } catch (error) {
    throw toImagesError(error)
  }
}

/** Asks for something that is not there: the answer tells whether bucket, credentials and signature are right. */
async function checkBucket(bucket: S3Bucket, prefix: string): Promise<void> {
  try {
    const nothing = { Bucket: bucket.name, Key: `${prefix}${STAGING}nothing` }
    await ifThere(bucket.run((s3, options) => s3.send(new GetObjectCommand(nothing), options)))
  } catch (error) {
    // Who may not list a bucket is not told what is missing in it.
    const { name } = ((error as Error).cause ?? {}) as Error
    if (name !== 'AccessDenied') throw error
  }
}

async function ifThere<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isMissing((error as Error).cause)) return undefined
    throw error
  }
}
