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

/** Addresses that begin with `origin`. They are the same within one signing window, and made once for all who ask in a row. */
export function createPathAddresses({ keys, windowMs }: PathSigner) {
  let last: Addresses | undefined
  return ({ now, origin }: { now: number; origin: string }): Addresses => {
    const [key] = keys
    if (!key) throw new Error('a signer needs at least one key')
    const { expires } = signingWindow(now, windowMs)
    const tag = `${key.id}.${key.fingerprint}.${expires}.${origin}`
    if (last?.tag === tag) return last
    const sign = signPaths(key, expires)
    last = { tag, address: (imageKey) => origin + sign(imageKey) }
    return last
  }
}

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
