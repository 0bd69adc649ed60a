import { hash } from 'node:crypto'

const BLOCK = 64
const DIGEST = 32

/** SHA-256 of texts of which only the middle changes. It is ASCII, and all that is written for each text. */
export function createHasher(before: Uint8Array, after = ''): (middle: string) => string {
  /** By the length of the text: names of pictures and of previews have two. */
  const kept = new Map<number, Buffer>()
  const make = (length: number) => {
    const text = Buffer.concat([before, Buffer.alloc(length), Buffer.from(after)])
    kept.set(length, text)
    return text
  }
  return (middle) => {
    const text = kept.get(middle.length) ?? make(middle.length)
    text.write(middle, before.length, 'latin1')
    return hash('sha256', text, 'hex')
  }
}

/**
 * HMAC-SHA-256 (RFC 2104) of texts that begin with a prefix. The rest is ASCII. Two one-shot hashes over kept buffers take a third
 * of the time of `createHmac`, which makes an object for each text.
 */
export function createMac(key: Uint8Array) {
  const padded = Buffer.alloc(BLOCK)
  padded.set(key.length > BLOCK ? hash('sha256', key, 'buffer') : key)
  const outer = Buffer.concat([padded.map((byte) => byte ^ 0x5c)], BLOCK + DIGEST)

  return (prefix: string) => {
    const hashInner = createHasher(Buffer.concat([padded.map((byte) => byte ^ 0x36), Buffer.from(prefix)]))
    return (rest: string, encoding: 'hex' | 'base64url'): string => {
      outer.write(hashInner(rest), BLOCK, 'hex')
      return hash('sha256', outer, encoding)
    }
  }
}
