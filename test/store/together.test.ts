import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { together } from '../../src/store/sql/together.ts'

/** Look-ups that are answered by the test, with the current value of `now`. */
function controlled() {
  const begun: { keys: readonly string[]; answer: () => void; fail: (error: Error) => void }[] = []
  let now = 0
  const find = together((keys) => {
    const seen = now
    return new Promise<string[]>((resolve, reject) => {
      begun.push({ keys, answer: () => resolve(keys.map((key) => `${key}@${seen}`)), fail: reject })
    })
  })
  return { begun, find, write: () => ++now }
}

describe('look-ups', () => {
  test('of one turn share one query without repeated keys', async () => {
    const { begun, find } = controlled()
    const found = Promise.all(['a', 'b', 'a', 'c', 'a'].map(find))
    await nextTurn()
    expect(begun.map(({ keys }) => keys)).toEqual([['a', 'b', 'c']])
    begun[0]?.answer()
    expect(await found).toEqual(['a@0', 'b@0', 'a@0', 'c@0', 'a@0'])
  })

  test('see everything written before them, even while an earlier query runs', async () => {
    const { begun, find, write } = controlled()
    const before = find('a')
    await nextTurn()
    write()
    const after = find('a')
    begun[0]?.answer()
    expect(await before).toBe('a@0')
    while (begun.length < 2) await nextTurn()
    begun[1]?.answer()
    expect(await after).toBe('a@1')
  })

  test('gather while a query runs, and do not wait for one that is stuck', async () => {
    const { begun, find } = controlled()
    void find('stuck')
    await nextTurn()
    const others = [find('b'), find('c')]
    await nextTurn()
    others.push(find('d'))
    expect(begun).toHaveLength(1)
    while (begun.length < 2) await sleep(1)
    expect(begun[1]?.keys).toEqual(['b', 'c', 'd'])
    begun[1]?.answer()
    expect(await Promise.all(others)).toEqual(['b@0', 'c@0', 'd@0'])
  })

  test('that follow from others begin together, without another turn', async () => {
    // The look-ups of the previous test are over.
    await nextTurn()
    const { begun, find } = controlled()
    const { begun: later, find: findLater } = controlled()
    const found = ['a', 'b'].map((key) => find(key).then(async (value) => await findLater(value)))
    await nextTurn()
    begun[0]?.answer()
    await new Promise<void>((resolve) =>
      process.nextTick(() => queueMicrotask(() => process.nextTick(resolve))),
    )
    expect(later.map(({ keys }) => keys)).toEqual([['a@0', 'b@0']])
    later[0]?.answer()
    expect(await Promise.all(found)).toEqual(['a@0@0', 'b@0@0'])
    // Later ones begin with the next turn again.
    await nextTurn()
    void findLater('c')
    await new Promise<void>((resolve) => process.nextTick(resolve))
    expect(later).toHaveLength(1)
  })

  test('in a long sequence let the event loop continue', async () => {
    const find = together(async (keys) => [...keys])
    let iterations = 0
    let isOver = false
    const count = async () => {
      for (; !isOver; iterations++) await nextTurn()
    }
    const counting = count()
    for (let times = 0; times < 100; times++) await find(String(times))
    isOver = true
    await counting
    expect(iterations).toBeGreaterThan(40)
  })

  test('that fail reject for their own callers, and nobody else', async () => {
    const { begun, find } = controlled()
    const failed = [find('a'), find('b')]
    await nextTurn()
    const next = find('a')
    begun[0]?.fail(new Error('away'))
    expect(await Promise.allSettled(failed)).toMatchObject([{ reason: { message: 'away' } }, { reason: {} }])
    while (begun.length < 2) await nextTurn()
    begun[1]?.answer()
    expect(await next).toBe('a@0')
  })

  test('are split at the limit of keys for one query', async () => {
    const { begun, find } = controlled()
    const found = Array.from({ length: 1_200 }, (_, index) => find(String(index)))
    while (begun.reduce((sum, { keys }) => sum + keys.length, 0) < 1_200) await sleep(1)
    expect(Math.max(...begun.map(({ keys }) => keys.length))).toBe(500)
    for (const { answer } of begun) answer()
    expect(await Promise.all(found)).toHaveLength(1_200)
  })
})
