import { expect, test } from 'vitest'
import { KeptRoots } from '../../src/results/kept-roots.ts'

const entry = (size: number) => ({ projectId: 'p', rootId: 'r', bytes: Buffer.alloc(size) })

test('rendered roots are kept within the limit, and used ones stay', () => {
  const kept = new KeptRoots(100_000)
  kept.keep('used', entry(1_000))
  for (let index = 0; index < 1_000; index++) {
    kept.keep(String(index), entry(1_000))
    expect(kept.get('used', 'p', 'r')?.bytes).toHaveLength(1_000)
  }
  const there = Array.from({ length: 1_000 }, (_, index) => kept.get(String(index), 'p', 'r')).filter(Boolean)
  expect(there.length).toBeGreaterThan(20)
  expect(there.length * 1_000).toBeLessThan(100_000)
})

test('a very large root is not kept, and nothing is kept with a limit of 0', () => {
  const kept = new KeptRoots(100_000)
  kept.keep('large', entry(50_000))
  expect(kept.get('large', 'p', 'r')).toBeUndefined()
  const none = new KeptRoots(0)
  none.keep('any', entry(1))
  expect(none.get('any', 'p', 'r')).toBeUndefined()
})

test('the same ETag with another root or project finds nothing', () => {
  const kept = new KeptRoots(100_000)
  kept.keep('etag', entry(10))
  expect(kept.get('etag', 'p', 'another')).toBeUndefined()
  expect(kept.get('etag', 'another', 'r')).toBeUndefined()
  expect(kept.get('etag', 'p', 'r')?.bytes).toHaveLength(10)
})
