import { GetObjectCommand, S3, type S3ClientConfig } from '@aws-sdk/client-s3'
import { AppError } from '../../errors.ts'
import { createLimiter } from '../../work/limiter.ts'
import { boundedCredentials } from './credentials.ts'
import { toImagesError } from './errors.ts'
import type { BucketLocation } from './location.ts'
import type { BucketAddress } from './sigv4.ts'

export interface BucketSettings extends BucketLocation {
  /** How long a request may take, with its retries. Uploads may take longer. */
  readonly timeoutMs: number
  /** The host in addresses, instead of the bucket's. */
  readonly publicUrl: string | undefined
  /** The host in the signature. */
  readonly signedHost: 'bucket' | 'public'
}

export type S3Bucket = Awaited<ReturnType<typeof openBucket>>

const REQUESTS_AT_ONCE = 32
/** Answers that may be read at a time. */
const READ_AT_ONCE = 500
/** Memory for uploads together. A larger one runs alone. */
const BYTES_AT_ONCE = 64 * 1024 * 1024
/** A slower upload is given up. */
const SLOWEST_BYTES_PER_SECOND = 8 * 1024
/** The region of stores other than AWS, by default. */
const ANY_REGION = 'us-east-1'

export async function openBucket(settings: BucketSettings) {
  const region = settings.region ?? (await findRegion(settings))
  const target = {
    region,
    ...(settings.endpoint !== undefined && { endpoint: settings.endpoint }),
    forcePathStyle: settings.style === 'path',
  }
  const credentials = boundedCredentials(region, settings.timeoutMs)
  const openLane = (maxSockets: number) => {
    const client = new S3({
      ...target,
      credentials,
      // Not every store knows it, and then each large picture would take six seconds longer.
      expectContinueHeader: false,
      // Many stores do not know the newer checksums. The signature covers the SHA-256 of the body anyway.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: settings.timeoutMs,
        socketTimeout: settings.timeoutMs,
        httpAgent: { keepAlive: true, maxSockets },
        httpsAgent: { keepAlive: true, maxSockets },
      },
    })
    const limit = createLimiter(REQUESTS_AT_ONCE, BYTES_AT_ONCE)
    const run = <T>(
      request: (s3: S3, options: { abortSignal: AbortSignal }) => Promise<T>,
      bytes = 0,
    ): Promise<T> =>
      limit(async () => {
        const timeMs = settings.timeoutMs + (bytes / SLOWEST_BYTES_PER_SECOND) * 1000
        const late = new AbortController()
        // The limit is for the beginning of the answer. Its body may take longer.
        const timer = setTimeout(() => late.abort(), timeMs)
        try {
          return await request(client, { abortSignal: late.signal })
        } catch (error) {
          throw toImagesError(error)
        } finally {
          clearTimeout(timer)
        }
      }, bytes)
    return { run, close: () => client.destroy() }
  }
  const [own, reading] = [openLane(REQUESTS_AT_ONCE), openLane(READ_AT_ONCE)]
  return {
    region,
    address: await findAddress(target, settings),
    credentials,
    object: (name: string) => ({ Bucket: settings.bucket, Key: settings.prefix + name }),
    /** Runs one request that sends `bytes` bytes, in limited time and with few others. The cause of an AppError is that of S3. */
    run: own.run,
    /** The same for an answer that may be read slowly. It uses a connection of its own, not one of `run`. */
    read: reading.run,
    close() {
      own.close()
      reading.close()
    },
  }
}

/** The region of the environment or the profile. */
async function findRegion({ endpoint }: BucketSettings): Promise<string> {
  try {
    return await new S3({}).config.region()
  } catch (cause) {
    if (endpoint !== undefined) return ANY_REGION
    const message = 'S3 needs a region, such as IMAGES_URL=s3://bucket?region=eu-central-1 or AWS_REGION.'
    throw new AppError('storage_failed', message, { cause })
  }
}

/** The SDK knows the hosts of every partition, region and style. It prepares a request, which shows the host and is not sent. */
async function findAddress(
  target: S3ClientConfig,
  { bucket, publicUrl, signedHost }: BucketSettings,
): Promise<BucketAddress> {
  const nobody = { accessKeyId: 'nobody', secretAccessKey: 'nobody' }
  const client = new S3({ ...target, credentials: nobody })
  const probe = new GetObjectCommand({ Bucket: bucket, Key: 'x' })
  let found: URL | undefined
  probe.middlewareStack.add(
    () => async (args) => {
      const { protocol, hostname, port, path } = args.request as Record<
        'protocol' | 'hostname' | 'port' | 'path',
        string
      >
      found = new URL(`${protocol}//${hostname}${port ? `:${port}` : ''}${path}`)
      return { response: {}, output: { $metadata: {} } }
    },
    { step: 'build', name: 'findAddress', priority: 'low' },
  )
  await client.send(probe).catch((cause) => {
    throw new AppError('storage_failed', `S3 cannot be used with these settings: ${cause.message}`, { cause })
  })
  client.destroy()
  const own = found as URL
  const shown = publicUrl === undefined ? own : new URL(publicUrl)
  return {
    origin: shown.origin,
    host: (signedHost === 'public' ? shown : own).host,
    path: own.pathname.slice(0, -'x'.length),
  }
}
