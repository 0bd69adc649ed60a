import { hash, randomBytes } from 'node:crypto'
import { CannotOpen, type KeyRing } from '../secrets/key-ring.ts'
import type { Store } from '../store/store.ts'

export interface SessionKey {
  readonly hash: string
  readonly given: number
}

export interface SessionContent {
  /** Random. All cookies of a session have the same. */
  readonly id: string
  /** Whether the browser keeps it when it is closed. */
  readonly stays: boolean
  readonly keys: readonly SessionKey[]
}

/** Sealed texts open only where they belong. This is the place of sessions that have an id. */
const PLACE = 'session 2'
/** So that the cookie stays small, and a request needs few look-ups. */
export const MAX_SESSION_KEYS = 10
export const SESSION_MS: number = 30 * 24 * 3_600_000
/** A session with all its keys has less than a thousand characters. */
const MAX_LENGTH = 2_048
const HASH = /^[0-9a-f]{64}$/
const ID = /^[\w-]{22}$/
/** Sessions that began with one key, ended, and are remembered. */
const MOST_ENDED = 10_000

/**
 * Sessions are not stored: the browser keeps the hashes of its keys in a cookie, sealed. They are looked up with every request,
 * so a session ends with its keys. Only sessions that somebody has signed out of are remembered.
 */
export class Sessions {
  readonly #ring: Pick<KeyRing, 'seal' | 'open'>
  readonly #store: Pick<Store, 'endedSessions'>

  constructor(ring: Pick<KeyRing, 'seal' | 'open'>, store: Pick<Store, 'endedSessions'>) {
    this.#ring = ring
    this.#store = store
  }

  seal({ id, stays, keys }: SessionContent): string {
    const pairs = keys.map(({ hash, given }) => [Buffer.from(hash, 'hex').toString('base64url'), given])
    return this.#ring.seal(JSON.stringify([stays, id, ...pairs]), PLACE)
  }

  /** With the keys that were not given too long ago. Without any if the text is not a session that was sealed here. */
  open(text: string | undefined, now: number): SessionContent {
    const { keys, ...session } = this.#open(text)
    return { ...session, keys: keys.filter(({ given }) => now - given < SESSION_MS) }
  }

  /** No cookie of this session opens anything any more, in any process. Throws `rate_limited` if one key has ended too many. */
  async end(text: string | undefined): Promise<void> {
    // Whatever the time: a clock that was ahead may go back.
    const { id, keys } = this.#open(text)
    if (id === '') return
    const owner = hashSession(keys[0]?.hash ?? '')
    await this.#store.endedSessions.end({ session: hashSession(id), owner }, { most: MOST_ENDED })
  }

  #open(text: string | undefined): SessionContent {
    if (text === undefined || text.length > MAX_LENGTH) return NOTHING
    try {
      const [stays, id, ...pairs] = JSON.parse(this.#ring.open(text, PLACE)) as unknown[]
      if (typeof id !== 'string' || !ID.test(id)) return NOTHING
      return { id, stays: stays === true, keys: pairs.flatMap(toSessionKey) }
    } catch (error) {
      if (error instanceof CannotOpen) return NOTHING
      throw error
    }
  }
}

const NOTHING: SessionContent = { id: '', stays: false, keys: [] }

export function newSessionId(): string {
  return randomBytes(16).toString('base64url')
}

/** Only this hash of an id is stored. */
export function hashSession(id: string): string {
  return hash('sha256', id)
}

/** Another version may seal something else. */
function toSessionKey(pair: unknown): SessionKey[] {
  if (!Array.isArray(pair)) return []
  const [text, given] = pair as [unknown, unknown]
  const hash = Buffer.from(String(text), 'base64url').toString('hex')
  return HASH.test(hash) && typeof given === 'number' ? [{ hash, given }] : []
}
