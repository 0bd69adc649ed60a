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
  // Some servers show an incomplete object while it is being written.
  return parseId((await unlessDenied(ifThere(read)))?.trim() ?? '')
}

/** Not every store can write an object only if it is missing. So it is read again after writing. */
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

/** Lists only the names of folders: the bucket may contain other things. */
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
