import { setTimeout as sleep } from 'node:timers/promises'
import { S3Client } from '@aws-sdk/client-s3'
import { AppError } from '../../errors.ts'
import type { S3Credentials } from './sigv4.ts'

export interface ExpiringCredentials extends S3Credentials {
  /** Those of a role end at some time, and every address signed with them ends then, too. */
  readonly expiration?: Date | undefined
}

/** A role or an agent that is asked for credentials answers within this, or is asked anew. */
const CREDENTIALS_MS = 5_000

/**
 * The SDK's chain: environment, profile, roles; kept until shortly before they expire. Where it gets stuck, the next
 * one who asks begins with a fresh chain: its own would wait for the stuck one for ever.
 */
export function boundedCredentials(region: string, mostMs: number): S3Client['config']['credentials'] {
  const timeMs = Math.min(mostMs, CREDENTIALS_MS)
  const newChain = () => new S3Client({ region }).config.credentials
  let chain = newChain()
  return async () => {
    const late = new AbortController()
    const deadline = sleep(timeMs, undefined, { signal: late.signal, ref: false }).then(() => {
      throw new Error(`nobody answered within ${timeMs} ms`)
    })
    try {
      return await Promise.race([chain(), deadline])
    } catch (cause) {
      chain = newChain()
      throw new AppError(
        'unavailable',
        'There are no credentials for S3: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile or a role ' +
          `(${(cause as Error).message})`,
        { cause },
      )
    } finally {
      late.abort()
      deadline.catch(() => {})
    }
  }
}

/** How often the chain is asked whether it has others by now. It renews them minutes before they expire. */
const ASKED_MS = 1_000

/** Where new credentials cannot be had just now, those that are still valid do. */
export function keepCredentials(
  load: () => Promise<ExpiringCredentials>,
): (now: number) => Promise<ExpiringCredentials> {
  let kept: ExpiringCredentials | undefined
  let asked = Number.NEGATIVE_INFINITY
  const isValid = (now: number) => kept !== undefined && (kept.expiration?.getTime() ?? Infinity) > now
  return async (now) => {
    if (kept && isValid(now) && Math.abs(now - asked) < ASKED_MS) return kept
    try {
      kept = await load()
    } catch (error) {
      if (!isValid(now)) throw error
    }
    asked = now
    if (!kept || !isValid(now)) throw new AppError('unavailable', 'The credentials for S3 have expired.')
    return kept
  }
}
