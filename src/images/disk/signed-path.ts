import { timingSafeEqual } from 'node:crypto'
import { paths } from '../../contract/paths.ts'
import { AppError } from '../../errors.ts'
import { type Addresses, type ImageKey, signingWindow } from '../images.ts'
import type { SigningKey } from './signing-keys.ts'

/** Signs with the first key, accepts all. */
export interface PathSigner {
  readonly keys: readonly SigningKey[]
  readonly windowMs: number
}

// Exactly as `signPaths` makes it: a fixed order, each parameter once, one spelling.
const SIGNED =
  /^\/images\/([0-9a-f-]{36}\/[0-9a-f-]{36}(?:-preview)?\.png)\?expires=([1-9]\d{0,11})&key=([a-zA-Z0-9]{1,16})&signature=([A-Za-z0-9_-]{43})$/
const IMAGE_PATH = /^\/images\/[0-9a-f-]{36}\/[0-9a-f-]{36}(?:-preview)?\.png(?:\?|$)/

/** Origins that are kept. A service has few. */
const ORIGINS = 16

/** `createPathAddresses`, made once for each origin and signing window. */
export function keepPathAddresses(signer: PathSigner): (at: { now: number; origin: string }) => Addresses {
  let kept = new Map<string, Addresses>()
  let expires = 0
  return (at) => {
    const window = signingWindow(at.now, signer.windowMs)
    if (window.expires !== expires || kept.size > ORIGINS) kept = new Map()
    expires = window.expires
    let addresses = kept.get(at.origin)
    if (!addresses) {
      addresses = createPathAddresses(signer, at)
      kept.set(at.origin, addresses)
    }
    return addresses
  }
}

/** Addresses that begin with `origin`. They are the same within one signing window. */
export function createPathAddresses(signer: PathSigner, at: { now: number; origin: string }): Addresses {
  const [key] = signer.keys
  if (!key) throw new Error('a signer needs at least one key')
  const { expires } = signingWindow(at.now, signer.windowMs)
  const sign = signPaths(key, expires)
  return {
    tag: `${key.id}.${key.fingerprint}.${expires}.${at.origin}`,
    address: (imageKey) => at.origin + sign(imageKey),
  }
}

/** Makes the paths of pictures, signed until `expires`. */
function signPaths(key: SigningKey, expires: number): (imageKey: string) => string {
  const sign = key.mac(`proofsheet image 1\nGET\n${key.id}\n${expires}\n`)
  const parameters = `?expires=${expires}&key=${key.id}&signature=`
  return (imageKey) => paths.images + imageKey + parameters + sign(imageKey, 'base64url')
}

/** See `Images.verify`. */
export function verifySignedPath(
  signer: PathSigner,
  path: string,
  now: number,
): { key: ImageKey; expiresMs: number } {
  const match = SIGNED.exec(path)
  if (!match) throw new AppError(IMAGE_PATH.test(path) ? 'address_invalid' : 'not_found')
  const [, imageKey = '', expiresText = '', keyId = ''] = match
  const signingKey = signer.keys.find((candidate) => candidate.id === keyId)
  if (!signingKey) throw new AppError('address_invalid')
  const expected = Buffer.from(signPaths(signingKey, Number(expiresText))(imageKey))
  const given = Buffer.from(path)
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new AppError('address_invalid')
  const expiresMs = Number(expiresText) * 1000
  if (now >= expiresMs) throw new AppError('address_expired')
  return { key: imageKey as ImageKey, expiresMs }
}
