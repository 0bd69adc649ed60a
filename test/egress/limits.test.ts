import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { parseAllowList } from '../../src/egress/allow-list.ts'
import { createGuard } from '../../src/egress/guard.ts'
import { until } from '../support/runner/until.ts'
import {
  ask,
  dial,
  openTestGate,
  openTunnel,
  sendRequest,
  serveBytes,
  serveHttp,
  serveTcp,
} from './browser.ts'

// A gate has a limit of bytes and of connections, and leaves nothing behind when it is closed.

const CHUNK = Buffer.alloc(64 * 1024)

function flood(socket: Socket): void {
  const more = () => {
    while (!socket.destroyed && socket.write(CHUNK));
  }
  socket.on('drain', more)
  more()
}

test.each(['http', 'CONNECT'])('too many bytes by %s shut the gate, once and for good', async (how) => {
  const site = await serveHttp((_, answer) => {
    answer.writeHead(200)
    flood(answer.socket as Socket)
  })
  const raw = await serveTcp((socket) => flood(socket.resume()))
  const idle = await serveTcp()
  let calls = 0
  const maxBytes = 4 * 1024 * 1024
  const gate = await openTestGate({ allow: '127.0.0.1', maxBytes, onTooLarge: () => calls++ })
  const { socket: bystander } = await openTunnel(gate, `127.0.0.1:${idle.port}`)
  bystander.resume()
  let forwarded = 0
  if (how === 'http') {
    const { port } = await serveTcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n')
      flood(socket.resume())
    })
    const browser = dial(gate)
    browser.on('data', (chunk) => (forwarded += chunk.length))
    browser.write(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n\r\n`)
    await until(() => browser.destroyed)
  } else {
    const { socket } = await openTunnel(gate, `127.0.0.1:${raw.port}`)
    socket.on('data', (chunk) => (forwarded += chunk.length))
    await until(() => socket.destroyed)
  }
  await until(() => bystander.destroyed)
  expect(calls).toBe(1)
  expect(forwarded).toBeLessThanOrEqual(maxBytes + 1_000)
  expect(gate.received).toBeGreaterThan(maxBytes)
  expect(gate.received).toBeLessThan(maxBytes + 1024 * 1024)
  expect(await sendRequest(gate, `http://127.0.0.1:${site.port}/`)).toBe('')
  expect((await openTunnel(gate, `127.0.0.1:${idle.port}`)).status).toBe('')
  expect(site.sockets.length).toBe(0)
  expect(calls).toBe(1)
})

test('bytes of several answers are counted together', async () => {
  const site = await serveHttp((_, answer) => void answer.end(Buffer.alloc(100_000)))
  let calls = 0
  const gate = await openTestGate({ allow: '127.0.0.1', maxBytes: 450_000, onTooLarge: () => calls++ })
  const url = `http://127.0.0.1:${site.port}/`
  for (let i = 1; i <= 4; i++) {
    expect((await ask(gate, url)).body.length).toBe(100_000)
    expect(gate.received).toBeGreaterThan(i * 100_000)
  }
  expect(calls).toBe(0)
  await expect(ask(gate, url)).rejects.toThrow()
  expect(calls).toBe(1)
})

test('endless informational answers are counted, too', async () => {
  const site = await serveTcp((socket) => {
    const more = () => {
      while (
        !socket.destroyed &&
        socket.write('HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n'.repeat(1_000))
      );
    }
    socket.on('drain', more)
    socket.once('data', more)
  })
  let calls = 0
  const gate = await openTestGate({ allow: '127.0.0.1', maxBytes: 1_000_000, onTooLarge: () => calls++ })
  expect(await sendRequest(gate, `http://127.0.0.1:${site.port}/`)).toBe('')
  expect(calls).toBe(1)
})

test('bytes of a broken answer are counted, too', async () => {
  const site = await serveBytes(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(200_000)}`)
  const gate = await openTestGate({ allow: '127.0.0.1' })
  expect(await sendRequest(gate, `http://127.0.0.1:${site.port}/`)).toBe('')
  await until(() => gate.received > 200_000)
})

test('a gate accepts 512 connections and no more', async () => {
  const gate = await openTestGate()
  const sockets: Socket[] = []
  for (let i = 0; i < 530; i++) {
    const socket = dial(gate)
    await new Promise((resolve) => socket.once('connect', resolve))
    sockets.push(socket.resume())
  }
  await until(() => sockets.filter((socket) => socket.destroyed).length === 18)
  expect(sockets.slice(0, 512).every((socket) => !socket.destroyed)).toBe(true)
  // A connection that closes makes a new one possible.
  sockets[0]?.destroy()
  await expect.poll(() => sendRequest(gate, '/')).toMatch(/ 400 /)
})

test('close() ends all connections, whatever they are doing', async () => {
  const quiet = await serveTcp((socket) => void socket.resume())
  const busy = await serveTcp((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n')
    flood(socket.resume())
  })
  const gate = await openTestGate({
    allow: '127.0.0.1',
    lookup: () => new Promise(() => {}),
    connectMs: 60_000,
  })
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  const { socket: tunnel } = await openTunnel(gate, `127.0.0.1:${busy.port}`)
  const { socket: idleTunnel } = await openTunnel(gate, `127.0.0.1:${quiet.port}`)
  const browsers = [tunnel, idleTunnel, dial(gate)]
  for (const url of [
    `http://127.0.0.1:${quiet.port}/`,
    `http://127.0.0.1:${busy.port}/`,
    'http://never.test/',
  ]) {
    const browser = dial(gate)
    browser.write(`GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`)
    browsers.push(browser)
  }
  const waiting = dial(gate)
  waiting.write('CONNECT never.test:443 HTTP/1.1\r\nHost: x\r\n\r\n')
  browsers.push(waiting)
  await until(() => quiet.sockets.length === 2 && busy.sockets.length === 2)
  for (const browser of browsers) browser.resume()
  await new Promise((resolve) => setTimeout(resolve, 100))
  await Promise.all([gate.close(), gate.close()])
  await until(() => browsers.every((browser) => browser.destroyed))
  for (const { sockets } of [quiet, busy]) {
    await until(() => sockets.every((socket) => socket.destroyed || socket.readableEnded))
  }
  expect(timers()).toBeLessThanOrEqual(before)
  const late = dial(gate)
  await until(() => late.destroyed)
  expect(gate.failureOf('http://never.test/')).toBeUndefined()
})

test('closing a gate leaves the other gates of its guard alone', async () => {
  const site = await serveHttp((_, answer) => void answer.end('ok'))
  const guard = createGuard({ allow: parseAllowList('127.0.0.1') })
  const one = await guard.openGate({ maxBytes: 1e6 })
  const other = await guard.openGate({ maxBytes: 1e6 })
  await one.close()
  expect((await ask(other, `http://127.0.0.1:${site.port}/`)).body.toString()).toBe('ok')
  expect([one.received, other.received > 0]).toEqual([0, true])
  await other.close()
})
