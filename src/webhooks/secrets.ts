import { createHmac, randomBytes } from 'node:crypto'
import { CannotOpen, type KeyRing } from '../secrets/key-ring.ts'
import type { SealedSecret } from '../store/webhooks.ts'

/** After the secret was changed, deliveries are also signed with the old one for this long. */
export const OLD_SECRET_MS = 24 * 3_600_000
/** Each delivery is signed with all of them. */
const MOST_OLD = 9
const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = 32

export function sealSecret(secret: string, webhookId: string, ring: KeyRing): SealedSecret {
  return { sealed: ring.seal(secret, placeOf(webhookId)) }
}

/**
 * The secrets that are valid now, the newest first. Throws CannotOpen if the newest cannot be opened. An older
 * one that cannot be opened is left out: a lost key must not stop deliveries until the old secret expires.
 */
export function openSecrets(
  { webhookId, secrets }: { webhookId: string; secrets: readonly SealedSecret[] },
  ring: KeyRing,
  now: number,
): string[] {
  return secrets.filter(isValid(now)).flatMap(({ sealed }, index) => {
    try {
      return ring.open(sealed, placeOf(webhookId))
    } catch (error) {
      if (index > 0 && error instanceof CannotOpen) return []
      throw error
    }
  })
}

/** The new secret, and those before it for a day from when they were replaced. */
export function rotate(
  fresh: SealedSecret,
  before: readonly SealedSecret[],
  now: number,
): readonly SealedSecret[] {
  const valid = before.filter(isValid(now)).slice(0, MOST_OLD)
  return [fresh, ...valid.map(({ sealed, until = now + OLD_SECRET_MS }) => ({ sealed, until }))]
}

const isValid =
  (now: number) =>
  ({ until }: SealedSecret) =>
    until === undefined || until > now

function placeOf(webhookId: string): string {
  return `webhook ${webhookId}`
}

// Standard Webhooks 1.0: https://www.standardwebhooks.com

/** A new secret, as its user keeps it. */
export function makeSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

/** The headers that prove who sent these bytes, and when. With several secrets, each of them proves it. */
export function signHeaders(
  { deliveryId, now, body }: { deliveryId: string; now: number; body: string },
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1_000))
  const signed = `${deliveryId}.${timestamp}.${body}`
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  })
  return {
    'webhook-id': deliveryId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
