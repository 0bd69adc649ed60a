import { hash } from 'node:crypto'

const BLOCK = 64
const DIGEST = 32

/** Makes HMAC-SHA-256 (RFC 2104) of short texts. */
export type Mac = (text: string, encoding: 'hex' | 'base64url') => string

/**
 * For very many texts under one key: two one-shot hashes over buffers that stay where they are take a third of the
 * time of `createHmac`, which makes an object with a context for each of them.
 */
export function createMac(key: Uint8Array): Mac {
  const outer = Buffer.alloc(BLOCK + DIGEST)
  let inner = Buffer.alloc(BLOCK + 512)
  // One view for each length that came up: making a view costs as much as a hash.
  let views = new Map<number, Buffer>()
  const padded = Buffer.alloc(BLOCK)
  padded.set(key.length > BLOCK ? hash('sha256', key, 'buffer') : key)
  for (const [index, byte] of padded.entries()) {
    inner[index] = byte ^ 0x36
    outer[index] = byte ^ 0x5c
  }

  const makeView = (length: number) => {
    const view = inner.subarray(0, BLOCK + length)
    if (views.size > 64) views.clear()
    views.set(length, view)
    return view
  }
  return (text, encoding) => {
    // A character of a string takes three bytes of UTF-8 at most.
    if (BLOCK + 3 * text.length > inner.length) {
      inner = Buffer.concat([inner], BLOCK + 3 * text.length)
      views = new Map()
    }
    const length = inner.write(text, BLOCK)
    const view = views.get(length) ?? makeView(length)
    outer.write(hash('sha256', view, 'hex'), BLOCK, 'hex')
    return hash('sha256', outer, encoding)
  }
}
