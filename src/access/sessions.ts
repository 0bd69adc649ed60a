import { CannotOpen, type KeyRing } from '../secrets/key-ring.ts'

/** A key of a session: its hash, and when it was given. */
export interface SessionKey {
  readonly hash: string
  readonly given: number
}

export interface SessionContent {
  /** Whether the browser keeps it when it is closed. */
  readonly stays: boolean
  readonly keys: readonly SessionKey[]
}

/** Sealed texts open only where they belong. This is the place of sessions. */
const PLACE = 'session'
/** So that the cookie stays small, and a request needs few look-ups. */
export const MAX_SESSION_KEYS = 10
export const SESSION_MS: number = 30 * 24 * 3_600_000
/** A session with all its keys has less than a thousand characters. */
const MAX_LENGTH = 2_048
const HASH = /^[0-9a-f]{64}$/

/**
 * Sessions are not stored: the browser keeps the hashes of its keys in a cookie, sealed. They are looked up with every request,
 * so a session ends with its keys.
 */
export class Sessions {
  readonly #ring: Pick<KeyRing, 'seal' | 'open'>

  constructor(ring: Pick<KeyRing, 'seal' | 'open'>) {
    this.#ring = ring
  }

  seal({ stays, keys }: SessionContent): string {
    const pairs = keys.map(({ hash, given }) => [Buffer.from(hash, 'hex').toString('base64url'), given])
    return this.#ring.seal(JSON.stringify([stays, ...pairs]), PLACE)
  }

  /** With the keys that were not given too long ago. Without any if the text is not a session that was sealed here. */
  open(text: string | undefined, now: number): SessionContent {
    if (text === undefined || text.length > MAX_LENGTH) return NOTHING
    try {
      const [stays, ...pairs] = JSON.parse(this.#ring.open(text, PLACE)) as unknown[]
      const keys = pairs.flatMap(toSessionKey).filter(({ given }) => now - given < SESSION_MS)
      return { stays: stays === true, keys }
    } catch (error) {
      if (error instanceof CannotOpen) return NOTHING
      throw error
    }
  }
}

const NOTHING: SessionContent = { stays: false, keys: [] }

/** Another version may seal something else. */
function toSessionKey(pair: unknown): SessionKey[] {
  if (!Array.isArray(pair)) return []
  const [text, given] = pair as [unknown, unknown]
  const hash = Buffer.from(String(text), 'base64url').toString('hex')
  return HASH.test(hash) && typeof given === 'number' ? [{ hash, given }] : []
}
