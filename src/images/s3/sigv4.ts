import { createHmac } from 'node:crypto'
import { createHasher, createMac } from '../mac.ts'

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
  /** Credentials of a role expire, and so do all addresses that they signed. */
  readonly expiration?: Date | undefined
}

/** A bucket as its addresses name it. */
export interface BucketAddress {
  /** The beginning of an address: `https://shots.s3.eu-central-1.amazonaws.com`. */
  readonly origin: string
  /** The `Host` header that the server gets. */
  readonly host: string
  /** The path before a key: `/`, or `/shots/` in path style. */
  readonly path: string
}

export interface Presigning {
  readonly bucket: BucketAddress
  readonly region: string
  readonly credentials: S3Credentials
  /** Unix seconds. */
  readonly signed: number
  readonly expires: number
}

/** Makes presigned GET addresses exactly as `@aws-sdk/s3-request-presigner` does, at about a hundredth of its cost. */
export function createPresigner({ bucket, region, credentials, signed, expires }: Presigning) {
  const time = new Date(signed * 1000).toISOString().replace(/[-:]|\.\d+/g, '')
  const day = time.slice(0, 8)
  const scope = `${day}/${region}/s3/aws4_request`
  const credential = encode(`${credentials.accessKeyId}/${scope}`)
  const { sessionToken } = credentials
  // Sorted, as the canonical request and the SDK require. The signature is put in between.
  const before =
    `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Content-Sha256=UNSIGNED-PAYLOAD&X-Amz-Credential=${credential}` +
    `&X-Amz-Date=${time}&X-Amz-Expires=${expires - signed}` +
    (sessionToken === undefined ? '' : `&X-Amz-Security-Token=${encode(sessionToken)}`)
  const after = 'X-Amz-SignedHeaders=host&x-id=GetObject'
  const rest = `\n${before}&${after}\nhost:${bucket.host}\n\nhost\nUNSIGNED-PAYLOAD`
  const signingKey = deriveKey(credentials.secretAccessKey, [day, region, 's3', 'aws4_request'])
  const sign = createMac(signingKey)(`AWS4-HMAC-SHA256\n${time}\n${scope}\n`)
  const hashRequest = createHasher(Buffer.from('GET\n'), rest)

  return (key: string): string => {
    const path = bucket.path + encodeKey(key)
    const signature = sign(hashRequest(path), 'hex')
    return `${bucket.origin}${path}?${before}&X-Amz-Signature=${signature}&${after}`
  }
}

function deriveKey(secret: string, parts: readonly string[]): Buffer {
  return parts.reduce<Buffer>(
    (key, part) => createHmac('sha256', key).update(part).digest(),
    Buffer.from(`AWS4${secret}`),
  )
}

const PLAIN = /^[\w.~/-]*$/

/** Escapes a key for a path. Slashes stay. */
function encodeKey(key: string): string {
  return PLAIN.test(key) ? key : key.split('/').map(encode).join('/')
}

/** RFC 3986: `encodeURIComponent` does not escape five characters that it should. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
