import { createHmac, randomBytes } from 'node:crypto'

// Standard Webhooks 1.0: https://www.standardwebhooks.com

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** A new secret, as its user keeps it. */
export function makeSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

/** The headers that prove who sent these bytes, and when. With several secrets, each of them proves it. */
export function signHeaders(
  { deliveryId, now, body }: { deliveryId: string; now: number; body: string },
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1_000))
  const signed = `${deliveryId}.${timestamp}.${body}`
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  })
  return {
    'webhook-id': deliveryId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
