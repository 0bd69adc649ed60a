import { randomUUID } from 'node:crypto'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { createS3Addresses } from '../src/images/s3/addresses.ts'
import { measure } from './rounds.ts'

const credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}
const region = 'eu-central-1'
const windowMs = 12 * 3_600_000

/** One presigned address: ours beside the SDK's. Both make the same one. */
export async function run(): Promise<void> {
  const host = `shots.s3.${region}.amazonaws.com`
  const addresses = createS3Addresses({
    bucket: { origin: `https://${host}`, host, path: '/' },
    prefix: '',
    region,
    windowMs,
    credentials: async () => credentials,
  })
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
  const sdk = (Key: string) => getSignedUrl(client, new GetObjectCommand({ Bucket: 'shots', Key }), options)
  const [first = `${projectId}/x.png` as const] = keys
  if (address(first) !== (await sdk(first))) throw new Error('the two addresses differ')

  const [ours = 0, theirs = 0] = (
    await measure([
      { name: 'proofsheet', times: keys.length, work: (index) => address(keys[index] ?? first) },
      { name: 'SDK', times: 500, work: (index) => sdk(keys[index] ?? first) },
    ])
  ).values()
  process.stdout.write(
    [
      'One presigned address (the two are equal, character for character)',
      `  proofsheet                     ${ours.toFixed(2).padStart(8)} µs   20,000 of them: ${((ours * 20_000) / 1e6).toFixed(2)} s`,
      `  @aws-sdk/s3-request-presigner  ${theirs.toFixed(2).padStart(8)} µs   20,000 of them: ${((theirs * 20_000) / 1e6).toFixed(2)} s`,
      `  ratio                          ${(theirs / ours).toFixed(0).padStart(8)} ×`,
      '',
    ].join('\n'),
  )
}
