import { setTimeout as sleep } from 'node:timers/promises'
import { S3Client } from '@aws-sdk/client-s3'
import { AppError } from '../../errors.ts'
import type { S3Credentials } from './sigv4.ts'

/** If credentials do not come within this time, they are requested again. */
const CREDENTIALS_MS = 5_000

/** The SDK's chain: environment, profile, roles. If it hangs, the next call uses a new one. */
export function boundedCredentials(region: string, mostMs: number): S3Client['config']['credentials'] {
  const timeMs = Math.min(mostMs, CREDENTIALS_MS)
  const newChain = () => new S3Client({ region }).config.credentials
  let chain = newChain()
  return async () => {
    try {
      const found = await Promise.race([chain(), sleep(timeMs, undefined, { ref: false })])
      if (!found) throw new Error(`no answer within ${timeMs} ms`)
      return found
    } catch (cause) {
      chain = newChain()
      throw new AppError(
        'unavailable',
        'There are no credentials for S3: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile or a role ' +
          `(${(cause as Error).message})`,
        { cause },
      )
    }
  }
}

/** How often the chain is asked for newer credentials. It renews them minutes before they expire. */
const ASKED_MS = 1_000

/** If no new credentials come, the old ones are used while they are valid. */
export function keepCredentials(load: () => Promise<S3Credentials>): (now: number) => Promise<S3Credentials> {
  let kept: S3Credentials | undefined
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
