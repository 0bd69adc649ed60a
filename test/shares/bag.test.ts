import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Bag, type Placed } from '../../src/shares/bag.ts'

test('a bag holds what was added and not removed', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9)), (steps) => {
      const bag = new Bag<number>()
      const held: Placed<number>[] = []
      for (const [index, step] of steps.entries()) {
        const [removed] = step < 5 ? held.splice(step, 1) : []
        if (removed) bag.remove(removed)
        else held.push(bag.add(index))
        expect([...bag].sort()).toEqual(held.map(({ item }) => item).sort())
      }
    }),
  )
})

test('iterating while items are added and removed misses none that stays', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(19), { minLength: 1 }), (removals) => {
      const bag = new Bag<number>()
      const held = Array.from({ length: 20 }, (_, item) => bag.add(item))
      const seen: number[] = []
      const gone = new Set<number>()
      let step = 0
      for (const item of bag) {
        seen.push(item)
        const each = held[removals[step++ % removals.length] ?? 0]
        if (!each || gone.has(each.item)) continue
        gone.add(each.item)
        bag.remove(each)
        if (step % 2 === 0) bag.add(100 + step)
      }
      const stayed = held.filter(({ item }) => !gone.has(item)).map(({ item }) => item)
      expect(seen).toEqual(expect.arrayContaining(stayed))
    }),
  )
})

test('removed items can be collected as young objects', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: { type: 'minor' | 'major' }) => void
  const bag = new Bag<number[]>()
  const held: Placed<number[]>[] = []
  const comeAndGo = (count: number) => {
    for (let index = 0; index < count; index++) {
      held.push(bag.add(Array<number>(500).fill(0.5)))
      const [first] = held.length > 30 ? held.splice(0, 1) : []
      if (first) bag.remove(first)
    }
  }
  comeAndGo(100)
  // Everything allocated so far is old afterwards.
  collect({ type: 'major' })
  const before = process.memoryUsage().heapUsed
  for (let round = 0; round < 10; round++) {
    comeAndGo(1_000)
    collect({ type: 'minor' })
  }
  const grown = process.memoryUsage().heapUsed - before
  // 40 MB were allocated and released. A set would keep all of them.
  expect(grown).toBeLessThan(10_000_000)
})
