import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits. The prefix lets secret scanners find a leaked key. */
const KEY = /^psk_[A-Za-z0-9_-]{43}$/

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
