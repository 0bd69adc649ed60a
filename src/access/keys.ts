import { timingSafeEqual } from 'node:crypto'
import { hashApiKey, isApiKey } from '../store/api-key.ts'
import type { ApiKey, Store } from '../store/store.ts'

export type { ApiKey } from '../store/store.ts'

/** A key that was sent, and its hash. */
export interface GivenKey {
  readonly key: ApiKey
  readonly hash: string
}

/** The keys that open projects. */
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

  /** Those of these keys that exist, and were not revoked. */
  async findAll(hashes: readonly string[]): Promise<GivenKey[]> {
    const found = await Promise.all(hashes.map((hash) => this.#store.findKey(hash)))
    return found.flatMap((key, index) => (key ? [{ key, hash: hashes[index] ?? '' }] : []))
  }

  /** Whether the key is still not revoked. */
  async isValid(hash: string): Promise<boolean> {
    return (await this.#store.findKey(hash)) !== undefined
  }
}

/** In constant time. Hashes are compared, because they have equal lengths. */
export function isSameSecret(given: string, wanted: string): boolean {
  return timingSafeEqual(Buffer.from(hashApiKey(given)), Buffer.from(hashApiKey(wanted)))
}
