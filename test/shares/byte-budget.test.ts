import { getEventListeners } from 'node:events'
import { setImmediate as nextIteration } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openBodies } from '../../src/http/rules/read-body.ts'
import { Refusals } from '../../src/shares/refusals.ts'
import { until } from '../support/runner/until.ts'

const never = new AbortController().signal

/** A budget, and the clients that were admitted, in order. */
function newBudget(total = 400, requestMs = 600_000) {
  const refusals = new Refusals()
  const budget = openBodies({ bodiesBytes: total, requestMs }, refusals)
  const inside: string[] = []
  const ways: (() => void)[] = []
  const refused: string[] = []
  const take = (client: string, bytes: number, signal = never) => {
    budget.take(client, bytes, signal).then(
      ({ giveBack }) => {
        inside.push(client)
        ways.push(giveBack)
      },
      (error) => void refused.push(`${client} ${error.name === 'AbortError' ? error.name : error.code}`),
    )
  }
  return { budget, refusals, inside, refused, ways, take }
}

describe('a budget', () => {
  test('counts bytes until they are given back, once', async () => {
    const { budget, ways, take } = newBudget()
    for (const client of ['a', 'b']) take(client, 60)
    await nextIteration()
    expect([budget.bytes, budget.count]).toEqual([120, 2])
    for (let times = 0; times < 2; times++) ways[0]?.()
    expect([budget.bytes, budget.count]).toEqual([60, 1])
    ways[1]?.()
    expect([budget.bytes, budget.count]).toEqual([0, 0])
  })

  test('gives one client a quarter; then that client waits, and no other waits for it', async () => {
    const { budget, inside, ways, take } = newBudget()
    for (let times = 0; times < 3; times++) take('a', 50)
    for (const client of ['b', 'c']) take(client, 100)
    await nextIteration()
    expect(inside).toEqual(['a', 'a', 'b', 'c'])
    ways[0]?.()
    await nextIteration()
    expect(inside.slice(4)).toEqual(['a'])
    expect(budget.bytes).toBe(300)
  })

  test('that is full lets clients take turns', async () => {
    const { inside, ways, take } = newBudget()
    for (const client of ['w', 'x', 'y', 'z']) take(client, 100)
    for (const client of ['a', 'a', 'a', 'b', 'c']) take(client, 50)
    await nextIteration()
    expect(inside).toEqual(['w', 'x', 'y', 'z'])
    for (const giveBack of ways.slice()) giveBack()
    await nextIteration()
    expect(inside.slice(4)).toEqual(['a', 'b', 'c', 'a'])
  })

  test.each([101, 400, 1_000])('admits a request that is larger than a share, alone: %i', async (bytes) => {
    const { budget, inside, ways, take } = newBudget()
    for (const client of ['a', 'a', 'b']) take(client, bytes)
    await nextIteration()
    expect(inside).toEqual(bytes > 200 ? ['a'] : ['a', 'b'])
    for (let given = 0; given < 3; given++) {
      ways[given]?.()
      await nextIteration()
    }
    expect(inside.toSorted()).toEqual(['a', 'a', 'b'])
    expect(budget.bytes).toBe(0)
  })

  test('refuses the last of more than 1,600 waiting requests of a client, and counts the refusal', async () => {
    const { refusals, inside, refused, take } = newBudget()
    for (let times = 0; times < 1_603; times++) take('a', 100)
    take('b', 100)
    await nextIteration()
    expect(inside).toEqual(['a', 'b'])
    expect(refused).toEqual(['a rate_limited', 'a rate_limited'])
    expect([...refusals.counts]).toEqual([['bodies', 2]])
  })

  test('tells a client in advance that its request would be refused, and only that client', async () => {
    const { budget, refusals, ways, take } = newBudget()
    for (let times = 0; times < 1_601; times++) take('a', 100)
    await nextIteration()
    expect(() => budget.requirePlace('a')).toThrow(expect.objectContaining({ code: 'rate_limited' }))
    expect([...refusals.counts]).toEqual([['bodies', 1]])
    budget.requirePlace('b')
    // In the same iteration in which bytes are given back there is a place again.
    ways[0]?.()
    budget.requirePlace('a')
  })

  test('refuses the last of more than 2,400 waiting requests, from the client with most of them', async () => {
    const { refused, ways, inside, take } = newBudget()
    for (const client of ['w', 'x', 'y', 'z']) take(client, 100)
    for (let times = 0; times < 1_150; times++) for (const client of ['a', 'b']) take(client, 100)
    for (let index = 0; index < 100; index++) take(`${index}`, 100)
    take('b', 100)
    take('new', 100)
    await nextIteration()
    expect(refused).toEqual(['b rate_limited', 'a rate_limited'])
    for (let given = 0; given < ways.length; given++) {
      ways[given]?.()
      await nextIteration()
    }
    expect(inside).toHaveLength(2_404)
    expect(inside).toContain('new')
  })

  test('refuses requests that have waited too long, but not all that arrived together at the same time', async () => {
    const { refusals, refused, ways, inside, take } = newBudget(400, 3_000)
    for (let times = 0; times < 100; times++) take('a', 100)
    const counts = new Set<number>()
    await until(() => {
      counts.add(refused.length)
      return refused.length === 99
    })
    expect(counts.size).toBeGreaterThan(4)
    expect([...refusals.counts]).toEqual([['bodies', 99]])
    ways[0]?.()
    take('a', 100)
    await nextIteration()
    expect(inside).toEqual(['a', 'a'])
  })

  test('drops a waiting request whose client has gone', async () => {
    const { budget, inside, refused, ways, take } = newBudget()
    const gone = new AbortController()
    for (const client of ['w', 'x', 'y']) take(client, 100)
    take('a', 200, gone.signal)
    take('b', 50)
    await nextIteration()
    // It was the turn of the large one.
    expect(inside).toEqual(['w', 'x', 'y'])
    gone.abort()
    await nextIteration()
    expect([refused, inside.slice(3)]).toEqual([['a AbortError'], ['b']])
    take('c', 1, gone.signal)
    await nextIteration()
    expect(refused).toEqual(['a AbortError', 'c AbortError'])
    for (const giveBack of ways) giveBack()
    expect(budget.bytes).toBe(0)
  })

  test('does not admit a request that is aborted in the iteration in which bytes are given back', async () => {
    const { budget, inside, refused, ways, take } = newBudget()
    const gone = new AbortController()
    take('a', 100)
    for (let times = 0; times < 3; times++) take('a', 100, gone.signal)
    await nextIteration()
    ways[0]?.()
    await Promise.resolve()
    gone.abort()
    await nextIteration()
    expect([inside, refused, budget.bytes]).toEqual([['a'], new Array(3).fill('a AbortError'), 0])
  })

  test('stops listening for the abort of a request once it is admitted', async () => {
    const { ways, take } = newBudget()
    const { signal } = new AbortController()
    for (let times = 0; times < 20; times++) take('a', 100, signal)
    for (let given = 0; given < 20; given++) {
      await nextIteration()
      ways[given]?.()
    }
    await nextIteration()
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('property: no client holds more than its share, and every request is admitted', async () => {
    const step = fc.record({
      client: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      bytes: fc.integer({ min: 1, max: 500 }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.infiniteStream(fc.nat()),
        async (steps, picks) => {
          const budget = openBodies({ bodiesBytes: 400, requestMs: 600_000 }, new Refusals())
          const held: { client: string; bytes: number; giveBack: () => void }[] = []
          let entered = 0
          for (const { client, bytes } of steps) {
            void budget.take(client, bytes, never).then(({ giveBack }) => {
              entered++
              held.push({ client, bytes: Math.min(bytes, 400), giveBack })
            })
          }
          await nextIteration()
          while (held.length > 0) {
            const sum = (of: typeof held) => of.reduce((bytes, each) => bytes + each.bytes, 0)
            expect([budget.bytes, budget.count]).toEqual([sum(held), held.length])
            expect(budget.bytes).toBeLessThanOrEqual(400)
            for (const own of Object.values(Object.groupBy(held, ({ client }) => client))) {
              expect(own?.length === 1 || sum(own ?? []) <= 100).toBe(true)
            }
            const [pick = 0] = picks.take(1)
            held.splice(pick % held.length, 1)[0]?.giveBack()
            await nextIteration()
          }
          expect([entered, budget.bytes, budget.count]).toEqual([steps.length, 0, 0])
        },
      ),
      { numRuns: 100 },
    )
  })
})
