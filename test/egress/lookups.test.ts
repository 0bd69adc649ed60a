import { expect, onTestFinished, test } from 'vitest'
import { parseAllowList } from '../../src/egress/allow-list.ts'
import { createGuard, type Lookup } from '../../src/egress/guard.ts'
import { until } from '../support/runner/until.ts'
import { dial, openTestGate, openTunnel, sendRequest, tryTunnel } from './browser.ts'

// Look-ups hold threads that the rest of the service needs: they take turns.

/** Look-ups that are answered by the test. */
function slowLookups() {
  const waiting: { name: string; answer: () => void }[] = []
  let most = 0
  const asked: string[] = []
  const lookup: Lookup = (name) =>
    new Promise((resolve) => {
      const own = {
        name,
        answer: () => {
          waiting.splice(waiting.indexOf(own), 1)
          resolve(['10.0.0.1'])
        },
      }
      waiting.push(own)
      asked.push(name)
      most = Math.max(most, waiting.length)
    })
  return { lookup, waiting, asked, most: () => most }
}

/** By the time a later request is answered, those before it are under way. */
const heard = (gate: Parameters<typeof sendRequest>[0]) => sendRequest(gate, '/')

const soon = () => new Promise((resolve) => setTimeout(resolve, 50))

test('a gate looks up one name at a time, the guard three, and every request is answered', async () => {
  const { lookup, waiting, asked, most } = slowLookups()
  const guard = createGuard({ allow: parseAllowList(''), lookup })
  const gates = await Promise.all(Array.from({ length: 5 }, () => guard.openGate({ maxBytes: 1e6 })))
  onTestFinished(async () => void (await Promise.all(gates.map((gate) => gate.close()))))
  const tunnels = gates.flatMap((gate, i) => [1, 2, 3].map((n) => tryTunnel(gate, `g${i}-${n}.test:443`)))
  await until(() => waiting.length === 3)
  await soon()
  expect(waiting.length).toBe(3)
  const gateOf = (name: string) => name.split('-')[0]
  for (let left = 15; left > 0; left--) {
    await until(
      () =>
        waiting.length === Math.min(left, 3) ||
        new Set(waiting.map(({ name }) => gateOf(name))).size === waiting.length,
    )
    expect(new Set(waiting.map(({ name }) => gateOf(name))).size).toBe(waiting.length)
    await until(() => waiting.length > 0)
    waiting[0]?.answer()
    await soon()
  }
  expect(await Promise.all(tunnels)).toEqual(Array(15).fill('blocked'))
  expect(most()).toBe(3)
  expect(new Set(asked).size).toBe(15)
})

test('requests for the same name share one look-up', async () => {
  const { lookup, waiting, asked } = slowLookups()
  const gate = await openTestGate({ lookup })
  const tunnels = ['same.test:443', 'SAME.test:80', 'same.test.:443'].map((target) =>
    openTunnel(gate, target),
  )
  await until(() => waiting.length === 1)
  await heard(gate)
  waiting[0]?.answer()
  await Promise.all(tunnels)
  expect(asked).toEqual(['same.test'])
  // Later requests look it up again.
  const later = openTunnel(gate, 'same.test:443')
  await until(() => waiting.length === 1)
  waiting[0]?.answer()
  await later
  expect(asked).toEqual(['same.test', 'same.test'])
})

test('a request that waits too long fails; its look-up counts against the limit until it ends', async () => {
  const { lookup, waiting, asked } = slowLookups()
  const gate = await openTestGate({ lookup, connectMs: 1_000 })
  expect((await openTunnel(gate, 'slow.test:443')).status).toBe('HTTP/1.1 502 Bad Gateway')
  expect(gate.failureOf('https://slow.test/')).toEqual({
    reason: 'dns',
    detail: 'slow.test was not looked up in time',
  })
  expect((await openTunnel(gate, 'next.test:443')).status).toBe('HTTP/1.1 502 Bad Gateway')
  expect(asked).toEqual(['slow.test'])
  // A second request for it joins the look-up that is still under way.
  const again = tryTunnel(gate, 'slow.test:443')
  await heard(gate)
  expect(asked).toEqual(['slow.test'])
  waiting[0]?.answer()
  expect(await again).toBe('blocked')
  const last = tryTunnel(gate, 'last.test:443')
  await until(() => waiting.length === 1)
  waiting[0]?.answer()
  expect(await last).toBe('blocked')
  // No request waited for next.test when its turn came.
  expect(asked).toEqual(['slow.test', 'last.test'])
})

test('waiting look-ups are dropped when their browser or their gate closes', async () => {
  const { lookup, waiting, asked } = slowLookups()
  const guard = createGuard({ allow: parseAllowList(''), lookup })
  const gate = await guard.openGate({ maxBytes: 1e6 })
  const sockets = ['a', 'b', 'c'].map((name) => {
    const socket = dial(gate)
    socket.write(`GET http://${name}.test/ HTTP/1.1\r\nHost: x\r\n\r\n`)
    return socket
  })
  await until(() => waiting.length === 1)
  await soon()
  sockets[1]?.destroy()
  await soon()
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  await gate.close()
  expect(timers()).toBeLessThan(before)
  waiting[0]?.answer()
  await soon()
  expect(asked).toHaveLength(1)
})

test('a look-up that throws at once is an ordinary failure', async () => {
  const lookup = (() => {
    throw new Error('no')
  }) as Lookup
  const gate = await openTestGate({ lookup })
  expect((await openTunnel(gate, 'a.test:443')).status).toBe('HTTP/1.1 502 Bad Gateway')
  expect((await openTunnel(gate, 'b.test:443')).status).toBe('HTTP/1.1 502 Bad Gateway')
})
