import { GetObjectCommand, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import { AppError } from '../../errors.ts'
import { boundedCredentials, type ExpiringCredentials } from './credentials.ts'
import { toImagesError } from './errors.ts'
import { createGate } from './gate.ts'
import type { BucketAddress } from './sigv4.ts'

export interface S3Place {
  readonly bucket: string
  readonly endpoint: string | undefined
  readonly region: string | undefined
  readonly style: 'path' | 'virtual'
  /** How long a request may take, with its repetitions; more for what has to be sent. */
  readonly timeoutMs: number
  /** The host that addresses name instead of the bucket's. */
  readonly publicUrl: string | undefined
  /** The host that a signature names. */
  readonly signedHost: 'bucket' | 'public'
}

export interface S3Bucket {
  readonly name: string
  readonly region: string
  readonly address: BucketAddress
  readonly credentials: () => Promise<ExpiringCredentials>
  /**
   * Runs one request that sends so many bytes, in bounded time and with few others. Throws AppErrors whose cause is
   * what S3 said.
   */
  readonly run: Run
  /** The same for what is read as slowly as someone pleases: it keeps a connection, but none that `run` could need. */
  readonly read: Run
  close(): void
}

type Run = <T>(
  request: (s3: S3Client, options: { abortSignal: AbortSignal }) => Promise<T>,
  bytes?: number,
) => Promise<T>

const REQUESTS_AT_ONCE = 32
/** Answers that are being read. */
const READ_AT_ONCE = 500
/** What they may hold in memory together; one that is larger goes alone. */
const BYTES_AT_ONCE = 64 * 1024 * 1024
/** A line slower than this, for each request, is as good as none. */
const SLOWEST_BYTES_PER_SECOND = 8 * 1024
/** What stores other than AWS answer to, unless told otherwise. */
const ANY_REGION = 'us-east-1'

export async function openBucket(place: S3Place): Promise<S3Bucket> {
  const region = place.region ?? (await findRegion(place))
  const target = {
    region,
    ...(place.endpoint !== undefined && { endpoint: place.endpoint }),
    forcePathStyle: place.style === 'path',
  }
  const credentials = boundedCredentials(region, place.timeoutMs)
  const openLane = (maxSockets: number) => {
    const client = new S3Client({
      ...target,
      credentials,
      // A store that does not know it would cost six seconds for every large picture.
      expectContinueHeader: false,
      // The newer checksums are unknown to many stores; the signature covers the SHA-256 of what is sent anyway.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: place.timeoutMs,
        socketTimeout: place.timeoutMs,
        httpAgent: { keepAlive: true, maxSockets },
        httpsAgent: { keepAlive: true, maxSockets },
      },
    })
    const takeTurn = createGate(REQUESTS_AT_ONCE, BYTES_AT_ONCE)
    const run: Run = (request, bytes = 0) =>
      takeTurn(bytes, () => {
        const timeMs = place.timeoutMs + (bytes / SLOWEST_BYTES_PER_SECOND) * 1000
        const late = new AbortController()
        // Until the answer begins: what it says may take its time, as long as it moves.
        const timer = setTimeout(() => late.abort(), timeMs)
        return explaining(() => request(client, { abortSignal: late.signal })).finally(() =>
          clearTimeout(timer),
        )
      })
    return { run, close: () => client.destroy() }
  }
  const [own, reading] = [openLane(REQUESTS_AT_ONCE), openLane(READ_AT_ONCE)]
  return {
    name: place.bucket,
    region,
    address: await findAddress(target, place),
    credentials,
    run: own.run,
    read: reading.run,
    close() {
      own.close()
      reading.close()
    },
  }
}

/** As the environment or the profile says. */
async function findRegion({ endpoint }: S3Place): Promise<string> {
  try {
    return await new S3Client({}).config.region()
  } catch (cause) {
    if (endpoint !== undefined) return ANY_REGION
    const message = 'S3 needs a region, such as IMAGES_URL=s3://bucket?region=eu-central-1 or AWS_REGION.'
    throw new AppError('storage_failed', message, { cause })
  }
}

/**
 * The SDK knows the hosts of every partition, region and style: it is asked where it would send a request, and the
 * request is not sent.
 */
async function findAddress(
  target: S3ClientConfig,
  { bucket, publicUrl, signedHost }: S3Place,
): Promise<BucketAddress> {
  const nobody = { accessKeyId: 'nobody', secretAccessKey: 'nobody' }
  const client = new S3Client({ ...target, credentials: nobody })
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

async function explaining<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw toImagesError(error)
  }
}
