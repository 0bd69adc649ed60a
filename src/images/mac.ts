import { hash } from 'node:crypto'

const BLOCK = 64
const DIGEST = 32
/** Buffers that are kept, one for each length of text. There are hardly more than two. */
const LENGTHS = 64

/** HMAC-SHA-256 (RFC 2104) of texts that begin with `prefix`. The rest is ASCII. */
export type Mac = (prefix: string) => (rest: string, encoding: 'hex' | 'base64url') => string

/**
 * Fast for very many texts with one key: two one-shot hashes over kept buffers take a third of the time of
 * `createHmac`, which makes an object for each text.
 */
export function createMac(key: Uint8Array): Mac {
  const padded = Buffer.alloc(BLOCK)
  padded.set(key.length > BLOCK ? hash('sha256', key, 'buffer') : key)
  const outer = Buffer.concat([padded.map((byte) => byte ^ 0x5c)], BLOCK + DIGEST)

  return (prefix) => {
    const begin = Buffer.concat([padded.map((byte) => byte ^ 0x36), Buffer.from(prefix)])
    // By the length of the rest. Only the rest is written for each text.
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
