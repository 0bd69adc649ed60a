import { hash } from 'node:crypto'
import type { Addresses } from '../images.ts'
import { signingWindow } from '../signing-window.ts'
import { type ExpiringCredentials, keepCredentials } from './credentials.ts'
import { type BucketAddress, createPresigner } from './sigv4.ts'

/** S3 accepts no address that is valid for longer. */
const LONGEST_SECONDS = 7 * 86_400

export interface S3Addressing {
  readonly bucket: BucketAddress
  readonly prefix: string
  readonly region: string
  readonly windowMs: number
  /** The current credentials. Throws if there are none. */
  readonly credentials: () => Promise<ExpiringCredentials>
}

/** Presigned addresses. They are the same within one signing window and with the same credentials. */
export function createS3Addresses(addressing: S3Addressing): (now: number) => Promise<Addresses> {
  const { bucket, prefix, region, windowMs } = addressing
  const currentCredentials = keepCredentials(addressing.credentials)
  const location = `${region}.${bucket.host}.${bucket.origin}${bucket.path}${prefix}`
  let last: { credentials: ExpiringCredentials; signed: number; addresses: Addresses } | undefined
  return async (now) => {
    const credentials = await currentCredentials(now)
    const { signed, expires: wanted } = signingWindow(now, windowMs)
    if (last?.credentials === credentials && last.signed === signed) return last.addresses
    const end = credentials.expiration ? Math.floor(credentials.expiration.getTime() / 1000) : wanted
    const expires = Math.min(wanted, signed + LONGEST_SECONDS, end)
    const fingerprint = hash(
      'sha256',
      `proofsheet S3\n${credentials.secretAccessKey}\n${credentials.sessionToken ?? ''}`,
      'base64url',
    ).slice(0, 8)
    const presign = createPresigner({ bucket, region, credentials, signed, expires })
    const tag = `${credentials.accessKeyId}.${fingerprint}.${signed}.${expires}.${location}`
    const addresses = { tag, address: (key: string) => presign(prefix + key) }
    last = { credentials, signed, addresses }
    return addresses
  }
}
