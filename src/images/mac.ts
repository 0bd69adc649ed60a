import { hash } from 'node:crypto'

const BLOCK = 64
const DIGEST = 32
/** Lengths of texts that are remembered; there are hardly more than two. */
const LENGTHS = 64

/** HMAC-SHA-256 (RFC 2104) of texts that all begin with `prefix`. What follows is ASCII. */
export type Mac = (prefix: string) => (rest: string, encoding: 'hex' | 'base64url') => string

/**
 * For very many texts under one key: two one-shot hashes over buffers that stay where they are take a third of the
 * time of `createHmac`, which makes an object with a context for each of them.
 */
export function createMac(key: Uint8Array): Mac {
  const padded = Buffer.alloc(BLOCK)
  padded.set(key.length > BLOCK ? hash('sha256', key, 'buffer') : key)
  const outer = Buffer.concat([padded.map((byte) => byte ^ 0x5c)], BLOCK + DIGEST)

  return (prefix) => {
    const begin = Buffer.concat([padded.map((byte) => byte ^ 0x36), Buffer.from(prefix)])
    // By the length of what follows, which is all that is written anew.
    const inners = new Map<number, Buffer>()
    const makeInner = (length: number) => {
      const inner = Buffer.concat([begin], begin.length + length)
      if (inners.size >= LENGTHS) inners.clear()
      inners.set(length, inner)
      return inner
    }
    return (rest, encoding) => {
      const inner = inners.get(rest.length) ?? makeInner(rest.length)
      inner.write(rest, begin.length, 'latin1')
      outer.write(hash('sha256', inner, 'hex'), BLOCK, 'hex')
      return hash('sha256', outer, encoding)
    }
  }
}
