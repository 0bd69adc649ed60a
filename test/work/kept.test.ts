import { expect, test } from 'vitest'
import { KeptBytes } from '../../src/work/kept.ts'

const open = (maxBytes: number) => new KeptBytes<Buffer>(maxBytes, ({ length }) => length)

test('bytes are kept within the limit, and used entries stay', () => {
  const kept = open(100_000)
  kept.keep('used', Buffer.alloc(1_000))
  for (let index = 0; index < 1_000; index++) {
    kept.keep(String(index), Buffer.alloc(1_000))
    expect(kept.get('used')).toHaveLength(1_000)
  }
  const there = Array.from({ length: 1_000 }, (_, index) => kept.get(String(index))).filter(Boolean)
  expect(there.length).toBeGreaterThan(20)
  expect(there.length * 1_000).toBeLessThan(100_000)
})

test('a very large entry is not kept, and nothing is kept with a limit of 0', () => {
  const kept = open(100_000)
  kept.keep('large', Buffer.alloc(50_000))
  expect(kept.get('large')).toBeUndefined()
  const none = open(0)
  none.keep('any', Buffer.alloc(1))
  expect(none.get('any')).toBeUndefined()
})

test('a newer value replaces the older one, and its bytes', () => {
  const kept = open(100_000)
  kept.keep('other', Buffer.alloc(1_000))
  for (let size = 0; size < 10_000; size++) kept.keep('same', Buffer.alloc(size))
  expect(kept.get('same')).toHaveLength(9_999)
  expect(kept.get('other')).toHaveLength(1_000)
})
