import { expect, test } from 'vitest'
import { Pace } from '../../src/shares/pace.ts'

test('the first request of a client does not wait, and each later one waits for those before it', () => {
  const pace = new Pace()
  expect([10, 10, 10].map((ms) => pace.spend('a', ms, 100))).toEqual([100, 110, 120])
  expect(pace.spend('b', 10, 100)).toBe(100)
  // Time that was not used is not saved up.
  expect([10, 10].map((ms) => pace.spend('a', ms, 1_000))).toEqual([1_000, 1_010])
})

test('a client does not wait for others', async () => {
  const pace = new Pace()
  const order: string[] = []
  const wait = async (client: string) => {
    await pace.wait(client, 500, new AbortController().signal)
    order.push(client)
  }
  await Promise.all([wait('a'), wait('a'), wait('b')])
  expect(order).toEqual(['a', 'b', 'a'])
})

test('clients that no longer have to wait are forgotten, and others are not', () => {
  const pace = new Pace()
  pace.spend('a', 1_000_000, 0)
  for (let client = 0; client < 3_000; client++) pace.spend(`${client}`, 1, client)
  expect([pace.spend('a', 1, 3_000), pace.spend('0', 1, 3_000)]).toEqual([1_000_000, 3_000])
})

test('a request whose client has gone does not wait, and leaves nothing in memory', async () => {
  const pace = new Pace()
  const client = new AbortController()
  pace.spend('a', 1_000_000)
  const waiting = pace.wait('a', 1, client.signal)
  client.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'bad_request', message: 'the client has gone' })
})

test('no request waits when the service stops', async () => {
  const pace = new Pace()
  pace.spend('a', 1_000_000)
  const wait = () => pace.wait('a', 1, new AbortController().signal)
  const waiting = wait()
  pace.close()
  const stopping = { code: 'unavailable', message: 'the service is stopping' }
  await expect(waiting).rejects.toMatchObject(stopping)
  await expect(wait()).rejects.toMatchObject(stopping)
})
