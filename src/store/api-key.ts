import { createHash, randomBytes } from 'node:crypto'
import type { StoredKey } from './store.ts'

/** 256 random bits. The prefix lets secret scanners find a leaked key. */
const KEY = /^psk_[A-Za-z0-9_-]{43}$/

/** A new key, as it is stored, and its secret, which is shown once. */
export function makeStoredKey(key: Pick<StoredKey, 'projectId' | 'scope' | 'label' | 'created'>): {
  stored: StoredKey
  secret: string
} {
  const secret = makeApiKey()
  const keyId = randomBytes(6).toString('hex')
  return { secret, stored: { ...key, keyId, revoked: undefined, hash: hashApiKey(secret) } }
}

export function makeApiKey(): string {
  return `psk_${randomBytes(32).toString('base64url')}`
}

export function isApiKey(text: string): boolean {
  return KEY.test(text)
}

/** Only this hash of a key is stored. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}
