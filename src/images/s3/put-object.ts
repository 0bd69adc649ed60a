import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { setImmediate as nextIteration } from 'node:timers/promises'
import type { PutObjectCommandInput, S3 } from '@aws-sdk/client-s3'
import { AppError } from '../../errors.ts'
import { isDamaged, isMissing } from './errors.ts'

const TRIES = 3
/** Hashed in one go: some milliseconds. */
const HASHED_AT_ONCE = 2 * 1024 * 1024

type NewObject = PutObjectCommandInput & { readonly Body: Buffer }

/**
 * Uploads an object, and makes sure that the bucket has it: a server or a proxy may lose, cut or change an upload and answer 200.
 * Most stores answer with the MD5 of what they have; from all others, the object is read again.
 */
export async function putObject(
  s3: S3,
  object: NewObject,
  { before, ...options }: { abortSignal: AbortSignal; before?: (() => void) | undefined },
): Promise<void> {
  const md5 = await md5Of(object.Body)
  for (let left = TRIES; left > 0; left--) {
    before?.()
    try {
      const { ETag } = await s3.putObject(object, options)
      if (ETag?.replaceAll('"', '').toLowerCase() === md5) return
      const { Bucket, Key } = object
      const { Body } = await s3.getObject({ Bucket, Key }, options)
      if (await isSame(Body as Readable, object.Body)) return
    } catch (error) {
      if (!isDamaged(error) && !isMissing(error)) throw error
    }
  }
  throw new AppError(
    'unavailable',
    `S3, or a proxy in front of it, accepted ${object.Key}, but stored different bytes (${TRIES} times).`,
  )
}

/** Between two parts, other work has its turn. */
async function md5Of(bytes: Buffer): Promise<string> {
  const hash = createHash('md5')
  for (let from = 0; from < bytes.length; from += HASHED_AT_ONCE) {
    if (from > 0) await nextIteration()
    hash.update(bytes.subarray(from, from + HASHED_AT_ONCE))
  }
  return hash.digest('hex')
}

async function isSame(body: Readable, bytes: Buffer): Promise<boolean> {
  let at = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (!bytes.subarray(at, at + chunk.length).equals(chunk)) return false
    at += chunk.length
  }
  return at === bytes.length
}
