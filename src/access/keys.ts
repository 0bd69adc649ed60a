import { timingSafeEqual } from 'node:crypto'
import { hashApiKey, isApiKey } from '../store/api-key.ts'
import type { ApiKey, Store } from '../store/store.ts'
import { hashSession, type SessionContent } from './sessions.ts'

export type { ApiKey } from '../store/store.ts'

/** A key that was sent, and its hash. */
export interface GivenKey {
  readonly key: ApiKey
  readonly hash: string
  /** The session that has it: a hash of its id. */
  readonly session?: string
}

export class Keys {
  readonly #store: Pick<Store, 'findKey'>

  constructor(store: Pick<Store, 'findKey'>) {
    this.#store = store
  }

  /** Undefined if there is no such key, or it was revoked. */
  async find(credential: string): Promise<GivenKey | undefined> {
    if (!isApiKey(credential)) return undefined
    const hash = hashApiKey(credential)
    const key = await this.#store.findKey(hash)
    return key && { key, hash }
  }

  /** Those keys of a session that exist, and were not revoked. None if the session has ended. */
  async findOf({ id, keys }: Pick<SessionContent, 'id' | 'keys'>): Promise<GivenKey[]> {
    const session = hashSession(id)
    const found = await Promise.all(keys.map(({ hash }) => this.#store.findKey(hash, session)))
    return found.flatMap((key, index) => (key ? [{ key, hash: keys[index]?.hash ?? '', session }] : []))
  }

  /** Whether the key is still not revoked, and its session has not ended. */
  async isValid({ hash, session }: Pick<GivenKey, 'hash' | 'session'>): Promise<boolean> {
    return (await this.#store.findKey(hash, session)) !== undefined
  }
}

/** In constant time. Hashes are compared, because they have equal lengths. */
export function isSameSecret(given: string, wanted: string): boolean {
  return timingSafeEqual(Buffer.from(hashApiKey(given)), Buffer.from(hashApiKey(wanted)))
}
