import { randomUUID } from 'node:crypto'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { createS3Addresses } from '../src/images/s3/s3.ts'
import { compare } from './statistics.ts'
import type { Figure } from './targets.ts'

const credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}
const region = 'eu-central-1'
const windowMs = 12 * 3_600_000

/** Row 5: one presigned address, ours beside the SDK's. Both make the same one. */
export async function measureSigning(): Promise<Figure[]> {
  const host = `shots.s3.${region}.amazonaws.com`
  const bucket = { origin: `https://${host}`, host, path: '/' }
  const addresses = createS3Addresses(
    { address: bucket, region, credentials: async () => credentials },
    { prefix: '', windowMs },
  )
  const now = Date.now()
  const { address } = await addresses(now)
  const client = new S3Client({
    region,
    credentials,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  const options = {
    expiresIn: (2 * windowMs) / 1000,
    signingDate: new Date(Math.floor(now / windowMs) * windowMs),
  }
  const projectId = randomUUID()
  const keys = Array.from({ length: 20_000 }, () => `${projectId}/${randomUUID()}.png` as const)
  const few = keys.slice(0, 500)
  const sdk = (Key: string) => getSignedUrl(client, new GetObjectCommand({ Bucket: 'shots', Key }), options)
  for (const key of few) if (address(key) !== (await sdk(key))) throw new Error('the two addresses differ')

  const microseconds = async (count: number, run: () => unknown) => {
    const began = performance.now()
    await run()
    return ((performance.now() - began) * 1000) / count
  }
  const { ours, theirs, ratio } = await compare(
    () =>
      microseconds(few.length, async () => {
        for (const key of few) await sdk(key)
      }),
    () =>
      microseconds(keys.length, () => {
        for (const key of keys) address(key)
      }),
  )
  return [
    {
      row: '5',
      world: 'PostgreSQL + S3',
      value: ratio,
      detail: `${theirs.toFixed(1)} µs, SDK ${ours.toFixed(0)} µs, the same address`,
    },
  ]
}
