import { setImmediate as nextIteration } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openBodies } from '../../src/http/rules/read-body.ts'
import { Refusals } from '../../src/shares/refusals.ts'

const never = new AbortController().signal

/** A room, and who was let in, in that order. */
function newRoom(total = 400) {
  const refusals = new Refusals()
  const room = openBodies(total, refusals)
  const inside: string[] = []
  const ways: (() => void)[] = []
  const refused: string[] = []
  const take = (client: string, bytes: number, signal = never) => {
    room.take(client, bytes, signal).then(
      ({ giveBack }) => {
        inside.push(client)
        ways.push(giveBack)
      },
      (error) => void refused.push(`${client} ${error.name === 'AbortError' ? error.name : error.code}`),
    )
  }
  return { room, refusals, inside, refused, ways, take }
}

describe('a room', () => {
  test('counts what is held until it is given back, once', async () => {
    const { room, ways, take } = newRoom()
    for (const client of ['a', 'b']) take(client, 60)
    await nextIteration()
    expect([room.bytes, room.count]).toEqual([120, 2])
    for (let times = 0; times < 2; times++) ways[0]?.()
    expect([room.bytes, room.count]).toEqual([60, 1])
    ways[1]?.()
    expect([room.bytes, room.count]).toEqual([0, 0])
  })

  test('is a quarter of it for one client, which then waits for itself, and nobody for it', async () => {
    const { room, inside, ways, take } = newRoom()
    for (let times = 0; times < 3; times++) take('a', 50)
    for (const client of ['b', 'c']) take(client, 100)
    await nextIteration()
    expect(inside).toEqual(['a', 'a', 'b', 'c'])
    ways[0]?.()
    await nextIteration()
    expect(inside.slice(4)).toEqual(['a'])
    expect(room.bytes).toBe(300)
  })

  test('that is full is given by turns between clients', async () => {
    const { inside, ways, take } = newRoom()
    for (const client of ['w', 'x', 'y', 'z']) take(client, 100)
    for (const client of ['a', 'a', 'a', 'b', 'c']) take(client, 50)
    await nextIteration()
    expect(inside).toEqual(['w', 'x', 'y', 'z'])
    for (const giveBack of ways.slice()) giveBack()
    await nextIteration()
    expect(inside.slice(4)).toEqual(['a', 'b', 'c', 'a'])
  })

  test.each([101, 400, 1_000])('lets in what is larger than a share, alone: %i', async (bytes) => {
    const { room, inside, ways, take } = newRoom()
    for (const client of ['a', 'a', 'b']) take(client, bytes)
    await nextIteration()
    expect(inside).toEqual(bytes > 200 ? ['a'] : ['a', 'b'])
    for (let given = 0; given < 3; given++) {
      ways[given]?.()
      await nextIteration()
    }
    expect(inside.toSorted()).toEqual(['a', 'a', 'b'])
    expect(room.bytes).toBe(0)
  })

  test('has no line for more than 256 of a client: the last one is refused, and that is counted', async () => {
    const { refusals, inside, refused, take } = newRoom()
    for (let times = 0; times < 259; times++) take('a', 100)
    take('b', 100)
    await nextIteration()
    expect(inside).toEqual(['a', 'b'])
    expect(refused).toEqual(['a rate_limited', 'a rate_limited'])
    expect([...refusals.counts]).toEqual([['bodies', 2]])
  })

  test('has no line for more than 500 of all: who has most in it is refused', async () => {
    const { refused, ways, inside, take } = newRoom()
    for (const client of ['w', 'x', 'y', 'z']) take(client, 100)
    for (let times = 0; times < 200; times++) for (const client of ['a', 'b']) take(client, 100)
    for (let index = 0; index < 100; index++) take(`${index}`, 100)
    take('b', 100)
    take('new', 100)
    await nextIteration()
    expect(refused).toEqual(['b rate_limited', 'a rate_limited'])
    for (let given = 0; given < ways.length; given++) {
      ways[given]?.()
      await nextIteration()
    }
    expect(inside).toHaveLength(504)
    expect(inside).toContain('new')
  })

  test('is not waited for by who has gone', async () => {
    const { room, inside, refused, ways, take } = newRoom()
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
    expect(room.bytes).toBe(0)
  })

  test('property: nobody holds more than its share, and everybody comes in', async () => {
    const step = fc.record({
      client: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      bytes: fc.integer({ min: 1, max: 500 }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.infiniteStream(fc.nat()),
        async (steps, picks) => {
          const room = openBodies(400, new Refusals())
          const held: { client: string; bytes: number; giveBack: () => void }[] = []
          let entered = 0
          for (const { client, bytes } of steps) {
            void room.take(client, bytes, never).then(({ giveBack }) => {
              entered++
              held.push({ client, bytes: Math.min(bytes, 400), giveBack })
            })
          }
          await nextIteration()
          while (held.length > 0) {
            const sum = (of: typeof held) => of.reduce((bytes, each) => bytes + each.bytes, 0)
            expect([room.bytes, room.count]).toEqual([sum(held), held.length])
            expect(room.bytes).toBeLessThanOrEqual(400)
            for (const own of Object.values(Object.groupBy(held, ({ client }) => client))) {
              expect(own?.length === 1 || sum(own ?? []) <= 100).toBe(true)
            }
            const [pick = 0] = picks.take(1)
            held.splice(pick % held.length, 1)[0]?.giveBack()
            await nextIteration()
          }
          expect([entered, room.bytes, room.count]).toEqual([steps.length, 0, 0])
        },
      ),
      { numRuns: 100 },
    )
  })
})
