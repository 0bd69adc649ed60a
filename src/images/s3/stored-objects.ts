import { DeleteObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { inParallel } from '../../work/in-parallel.ts'
import { type ImageKey, parseName, type StoredImage } from '../images.ts'
import type { S3Bucket } from './bucket.ts'

const REMOVED_AT_ONCE = 16

/** See `Images.walk`. Gives as many as S3 lists in one answer. */
export async function* walkObjects(
  bucket: S3Bucket,
  prefix: string,
  projectId: string,
): AsyncGenerator<StoredImage[]> {
  const Prefix = `${prefix}${projectId}/`
  for (let ContinuationToken: string | undefined; ; ) {
    const page = { Bucket: bucket.name, Prefix, ContinuationToken }
    const listed = await bucket.run((s3, options) => s3.send(new ListObjectsV2Command(page), options))
    yield (listed.Contents ?? []).flatMap(({ Key = '', LastModified }) => {
      const key = parseName(projectId, Key.slice(Prefix.length))
      return key && LastModified ? [{ key, modified: LastModified.getTime() }] : []
    })
    ContinuationToken = listed.NextContinuationToken
    if (!listed.IsTruncated || ContinuationToken === undefined) return
  }
}

/** See `Images.remove`. One request for each: not every store supports removing many at once. */
export async function removeObjects(
  bucket: S3Bucket,
  prefix: string,
  keys: readonly ImageKey[],
  before?: () => void,
): Promise<void> {
  const remove = (key: ImageKey) =>
    bucket.run((s3, options) => {
      before?.()
      return s3.send(new DeleteObjectCommand({ Bucket: bucket.name, Key: prefix + key }), options)
    })
  for await (const _ of inParallel(keys, REMOVED_AT_ONCE, remove));
}
