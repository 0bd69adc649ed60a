import { createHash, randomBytes } from 'node:crypto'

/** Recognisable, so that secret scanners find a key that leaked; 256 random bits. */
const KEY = /^psk_[A-Za-z0-9_-]{43}$/

export function makeApiKey(): string {
  return `psk_${randomBytes(32).toString('base64url')}`
}

export function isApiKey(text: string): boolean {
  return KEY.test(text)
}

/** The only thing of a key that is ever stored. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}
