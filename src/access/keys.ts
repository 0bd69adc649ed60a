import { timingSafeEqual } from 'node:crypto'
import { hashApiKey, isApiKey } from '../store/api-key.ts'
import type { ApiKey, Store } from '../store/store.ts'

export type { ApiKey } from '../store/store.ts'

/** A key that was sent, and what it is looked up by. */
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

  /** Undefined where it is no key, or was revoked. */
  async find(credential: string): Promise<GivenKey | undefined> {
    if (!isApiKey(credential)) return undefined
    const hash = hashApiKey(credential)
    const key = await this.#store.findKey(hash)
    return key && { key, hash }
  }

  /** Whether it was not revoked since it was found. */
  async isValid(hash: string): Promise<boolean> {
    return (await this.#store.findKey(hash)) !== undefined
  }
}

/** In constant time: hashes are compared, which have one length whatever was sent. */
export function isSameSecret(given: string, wanted: string): boolean {
  return timingSafeEqual(Buffer.from(hashApiKey(given)), Buffer.from(hashApiKey(wanted)))
}
