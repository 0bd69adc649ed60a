import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMac } from '../../src/images/mac.ts'

test('property: HMAC-SHA-256, whatever the key and the texts before', () => {
  const texts = fc.array(fc.string({ unit: 'binary', maxLength: 2_000 }), { minLength: 1 })
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), texts, (key, all) => {
      const mac = createMac(key)
      for (const text of all) {
        for (const encoding of ['hex', 'base64url'] as const) {
          expect(mac(text, encoding)).toBe(createHmac('sha256', key).update(text).digest(encoding))
        }
      }
    }),
  )
})
