import { setImmediate as nextIteration } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FairTurns } from '../../src/shares/fair-turns.ts'

/** A piece that takes its time. */
async function work(): Promise<void> {
  const end = performance.now() + 2
  while (performance.now() < end);
}

describe('turns', () => {
  test('pass from client to client, however much one of them requests', async () => {
    const turns = new FairTurns(1)
    const order: string[] = []
    const pieces = [...'aaaaaa', ...'bb', 'c'].map((client) =>
      turns.run(client, async () => {
        order.push(client)
        await work()
      }),
    )
    await Promise.all(pieces)
    // The first one began before any other client was there.
    expect(order.join('')).toBe('aabcabaaa')
  })

  test('let small requests in between two pieces', async () => {
    const turns = new FairTurns(1)
    let pieces = 0
    const all = Promise.all(
      Array.from({ length: 10 }, () =>
        turns.run('a', async () => {
          pieces++
          await work()
        }),
      ),
    )
    const seen: number[] = []
    while (pieces < 10) {
      seen.push(pieces)
      await nextIteration()
    }
    await all
    expect(seen.length).toBeGreaterThanOrEqual(9)
  })

  test('never run more pieces at once than allowed, in all and for each client, even after a failure', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 2 }),
        fc.array(fc.record({ client: fc.constantFrom('a', 'b', 'c'), fails: fc.boolean() }), {
          maxLength: 30,
        }),
        async (places, ofOne, wanted) => {
          const turns = new FairTurns(places, ofOne)
          const underWay: string[] = []
          let most = 0
          let mostOfOne = 0
          const ended = await Promise.allSettled(
            wanted.map(({ client, fails }) =>
              turns.run(client, async () => {
                underWay.push(client)
                most = Math.max(most, underWay.length)
                mostOfOne = Math.max(mostOfOne, underWay.filter((each) => each === client).length)
                await nextIteration()
                underWay.splice(underWay.indexOf(client), 1)
                if (fails) throw new Error('it failed')
                return client
              }),
            ),
          )
          expect(most).toBeLessThanOrEqual(places)
          expect(mostOfOne).toBeLessThanOrEqual(ofOne)
          expect(ended.map(({ status }) => status)).toEqual(
            wanted.map(({ fails }) => (fails ? 'rejected' : 'fulfilled')),
          )
        },
      ),
      { numRuns: 50 },
    )
  })

  test('of one client are in the order of its requests', async () => {
    const turns = new FairTurns(2)
    const order: Record<string, number[]> = { a: [], b: [] }
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const client = index % 3 === 0 ? 'b' : 'a'
        return turns.run(client, async () => void order[client]?.push(index))
      }),
    )
    for (const each of Object.values(order)) expect(each).toEqual(each.toSorted((one, other) => one - other))
  })
})
