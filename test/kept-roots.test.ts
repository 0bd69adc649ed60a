import { expect, test } from 'vitest'
import { KeptRoots } from '../src/results/kept-roots.ts'

const entry = (size: number) => ({ projectId: 'p', rootId: 'r', bytes: Buffer.alloc(size) })

test('what was rendered is kept within its bytes, and what is used stays', () => {
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

test('nothing is kept that would push out most of the others, and nothing at all where there is no room', () => {
  const kept = new KeptRoots(100_000)
  kept.keep('large', entry(50_000))
  expect(kept.get('large', 'p', 'r')).toBeUndefined()
  const none = new KeptRoots(0)
  none.keep('any', entry(1))
  expect(none.get('any', 'p', 'r')).toBeUndefined()
})

test('under the same name, but of another root or project, nothing is found', () => {
  const kept = new KeptRoots(100_000)
  kept.keep('etag', entry(10))
  expect(kept.get('etag', 'p', 'another')).toBeUndefined()
  expect(kept.get('etag', 'another', 'r')).toBeUndefined()
  expect(kept.get('etag', 'p', 'r')?.bytes).toHaveLength(10)
})
