import { expect, test } from 'vitest'
import { RootBytes } from '../../src/results/root-bytes.ts'
import { KeptBytes } from '../../src/work/kept.ts'

const addresses = { tag: '', address: (key: string) => key }
const root = { rootId: 'r', created: 0, jobCount: 1, digest: 'd', revision: 'v' }

test('the same revision and tag with another root or project finds nothing', () => {
  const kept = new KeptBytes<Buffer>(100_000, ({ length }) => length)
  const of = (projectId: string, tag = 'tag') => new RootBytes(projectId, addresses, tag, kept, 1_000)
  of('p').keep(root, 'text')
  expect(of('p').kept(root)?.toString()).toBe('text')
  expect(of('another').kept(root)).toBeUndefined()
  expect(of('p').kept({ ...root, rootId: 'another' })).toBeUndefined()
  expect(of('p').kept({ ...root, revision: 'another' })).toBeUndefined()
  expect(of('p', 'another').kept(root)).toBeUndefined()
  expect(of('p').kept(root, ' 0')).toBeUndefined()
})

test('one answer keeps no more bytes than its limit', () => {
  const kept = new KeptBytes<Buffer>(100_000, ({ length }) => length)
  const roots = new RootBytes('p', addresses, 'tag', kept, 1_000)
  expect(roots.keep(root, 'a'.repeat(600))).toBeInstanceOf(Buffer)
  expect(roots.keep(root, 'b'.repeat(600), ' 1')).toBe('b'.repeat(600))
  expect(roots.kept(root, ' 1')).toBeUndefined()
})
