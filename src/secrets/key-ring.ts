import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { AppError } from '../errors.ts'
import type { SecretKey } from './secret-keys.ts'

/** AES-256-GCM. A sealed text is `1.<key id>.<base64url of nonce, ciphertext and tag>`. */
const CIPHER = 'aes-256-gcm'
const VERSION = '1'
const NONCE = 12
const TAG = 16

/** A sealed text cannot be opened. The message names neither the text nor a secret. */
export class CannotOpen extends Error {
  override readonly name = 'CannotOpen'
  /** Another process may have the key. */
  readonly isKeyMissing: boolean

  constructor(message: string, { isKeyMissing = false } = {}) {
    super(message)
    this.isKeyMissing = isKeyMissing
  }
}

export type KeyRing = Readonly<ReturnType<typeof createKeyRing>>

/** The first key seals, all keys open. */
export function createKeyRing(keys: readonly SecretKey[]) {
  const first = (): SecretKey => {
    if (keys[0]) return keys[0]
    throw new AppError(
      'bad_request',
      'SECRET_KEYS is required with PostgreSQL for requests with passwords, headers or cookies: all instances must use the ' +
        'same keys. Create a key once and give it to each instance: echo k1:$(openssl rand -base64 32)',
    )
  }
  return {
    /** `place`: where the text belongs. It opens only there. */
    seal(text: string, place: string): string {
      const { id, encryption } = first()
      const nonce = randomBytes(NONCE)
      const cipher = createCipheriv(CIPHER, encryption, nonce, { authTagLength: TAG })
      cipher.setAAD(additionalData(id, place))
      const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
      return `${VERSION}.${id}.${Buffer.concat(parts).toString('base64url')}`
    },
    /** Throws CannotOpen. */
    open(sealed: string, place: string): string {
      const [version, id = '', body = '', ...more] = sealed.split('.')
      const bytes = Buffer.from(body, 'base64url')
      // Base64 has several spellings of the same bytes. Only ours is accepted.
      const isOurs = version === VERSION && more.length === 0 && bytes.toString('base64url') === body
      if (!isOurs || bytes.length < NONCE + TAG) throw new CannotOpen('The sealed text is damaged.')
      const key = keys.find((each) => each.id === id)
      if (!key) {
        throw new CannotOpen(`It was sealed with the key "${id}", which is not among SECRET_KEYS.`, {
          isKeyMissing: true,
        })
      }
      const decipher = createDecipheriv(CIPHER, key.encryption, bytes.subarray(0, NONCE), {
        authTagLength: TAG,
      })
      decipher.setAAD(additionalData(id, place)).setAuthTag(bytes.subarray(-TAG))
      try {
        return decipher.update(bytes.subarray(NONCE, -TAG), undefined, 'utf8') + decipher.final('utf8')
      } catch {
        throw new CannotOpen(`The key "${id}" does not open it: it is damaged, or was sealed elsewhere.`)
      }
    },
    /** Keyed digests of a text, one for each key, the first key first. */
    digests(text: string): readonly [string, ...string[]] {
      const [one, ...others] = [first(), ...keys.slice(1)].map(
        ({ id, digest }) => `${id}:${createHmac('sha256', digest).update(text).digest('hex')}`,
      )
      return [one as string, ...others]
    },
  }
}

function additionalData(id: string, place: string): Buffer {
  return Buffer.from(`proofsheet secrets ${VERSION} ${id} ${place}`)
}
