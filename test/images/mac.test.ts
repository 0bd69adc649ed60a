import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMac } from '../../src/images/mac.ts'
import { anyCharacter } from '../support/runner/any-character.ts'

test('property: equals HMAC-SHA-256 for any key and text', () => {
  const texts = fc.array(fc.string({ unit: 'binary-ascii', maxLength: 2_000 }), { minLength: 1 })
  const prefixes = fc.array(fc.string({ unit: anyCharacter }), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), prefixes, texts, (key, beginnings, rests) => {
      const mac = createMac(key)
      const macs = beginnings.map((prefix) => ({ prefix, sign: mac(prefix) }))
      for (const rest of rests) {
        for (const { prefix, sign } of macs) {
          for (const encoding of ['hex', 'base64url'] as const) {
            const expected = createHmac('sha256', key)
              .update(prefix + rest)
              .digest(encoding)
            expect(sign(rest, encoding)).toBe(expected)
          }
        }
      }
    }),
  )
})
