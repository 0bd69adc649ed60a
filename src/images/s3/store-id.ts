import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { parseId } from '../../contract/ids.ts'
import type { S3Bucket } from './bucket.ts'
import { ifThere, isDenied } from './errors.ts'

const OBJECT = '.store'

export async function findStoreId(bucket: S3Bucket, prefix: string): Promise<string | undefined> {
  const object = { Bucket: bucket.name, Key: prefix + OBJECT }
  const read = bucket.run(async (s3, options) => {
    const { Body } = await s3.send(new GetObjectCommand(object), options)
    return await Body?.transformToString()
  })
  // Some servers show an object half written while it is written again.
  return parseId((await unlessDenied(ifThere(read)))?.trim() ?? '')
}

/** A bucket has no way to make what is not there that all of them know: so it is looked at again. */
export async function keepStoreId(bucket: S3Bucket, prefix: string, storeId: string): Promise<string> {
  const kept = await findStoreId(bucket, prefix)
  if (kept !== undefined) return kept
  const object = {
    Bucket: bucket.name,
    Key: prefix + OBJECT,
    Body: `${storeId}\n`,
    ContentType: 'text/plain',
  }
  await bucket.run((s3, options) => s3.send(new PutObjectCommand(object), options))
  return (await findStoreId(bucket, prefix)) ?? storeId
}

/** Looks at the names of folders only; there may be other things in the bucket. */
export async function holdsAny(bucket: S3Bucket, prefix: string): Promise<boolean | undefined> {
  const folders = { Bucket: bucket.name, Prefix: prefix, Delimiter: '/' }
  const listed = await unlessDenied(
    bucket.run((s3, options) => s3.send(new ListObjectsV2Command(folders), options)),
  )
  if (!listed) return undefined
  const names = (listed.CommonPrefixes ?? []).map(({ Prefix = '' }) => Prefix.slice(prefix.length, -1))
  return names.some((name) => parseId(name) !== undefined)
}

async function unlessDenied<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isDenied(error)) return undefined
    throw error
  }
}
