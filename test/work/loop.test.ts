import { expect, onTestFinished, test } from 'vitest'
import { type Loop, openLoop } from '../../src/work/loop.ts'

/** A loop whose looks are ended by the test. It would sleep longer than any test. */
function open() {
  const looks: PromiseWithResolvers<number>[] = []
  const logged: string[] = []
  const loop: Loop = openLoop({
    name: 'things',
    look: () => {
      const look = Promise.withResolvers<number>()
      looks.push(look)
      return look.promise
    },
    log: { error: (...given: unknown[]) => void logged.push(String(given.at(-1))) } as never,
  })
  onTestFinished(async () => {
    for (const { resolve } of looks) resolve(0)
    await loop.close()
  })
  const nth = async (count: number) => {
    await expect.poll(() => looks.length).toBe(count)
    return looks[count - 1] as PromiseWithResolvers<number>
  }
  return { loop, looks, logged, nth }
}

const FOR_EVER = 2 ** 31 - 1

test('a sleeping loop looks when it is woken, and a wake during a look is not missed', async () => {
  const { loop, nth } = open()
  const first = await nth(1)
  first.resolve(FOR_EVER)
  await first.promise
  loop.wake()
  const second = await nth(2)
  loop.wake()
  second.resolve(FOR_EVER)
  await nth(3)
})

test('a loop looks again at the time that its last look has named', async () => {
  const { nth } = open()
  ;(await nth(1)).resolve(1)
  await nth(2)
})

test('a look that fails is logged, and does not end the loop', async () => {
  const { loop, logged, nth } = open()
  ;(await nth(1)).reject(new Error('away'))
  await expect.poll(() => logged).toEqual(['things cannot be read at the moment'])
  loop.wake()
  await nth(2)
})

test('closing waits for the look under way and for the work it left behind, and no other look follows', async () => {
  const { loop, looks, nth } = open()
  const look = await nth(1)
  const ends: string[] = []
  const closed = loop.close(60_000, async () => ends.push('left behind')).then(() => ends.push('closed'))
  expect(ends).toEqual([])
  look.resolve(0)
  await closed
  expect([ends, looks.length]).toEqual([['left behind', 'closed'], 1])
})
