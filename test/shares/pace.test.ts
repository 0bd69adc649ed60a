import { expect, test } from 'vitest'
import { Pace } from '../../src/shares/pace.ts'

const MS = 10

test('the first large request of a client does not wait, and each further one waits for those before it', async () => {
  const pace = new Pace()
  const begun = performance.now()
  const times = await Promise.all(
    Array.from({ length: 4 }, async () => {
      await pace.wait('a', MS)
      return performance.now() - begun
    }),
  )
  expect(times.map((ms, index) => ms >= 10 * index - 1)).toEqual([true, true, true, true])
  expect(times).toEqual(times.toSorted((one, other) => one - other))
})

test('a client does not wait for another', async () => {
  const pace = new Pace()
  const order: string[] = []
  const wait = async (client: string) => {
    await pace.wait(client, MS * 50)
    order.push(client)
  }
  await Promise.all([wait('a'), wait('a'), wait('b')])
  expect(order).toEqual(['a', 'b', 'a'])
})
