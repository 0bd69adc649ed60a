import { createHash, randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { until } from '../support/runner/until.ts'
import { dial, openTestGate, openTunnel, serveTcp } from './browser.ts'

// CONNECT: https, and ws:// on port 80, are bytes both ways.

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const readAll = async (socket: Socket) =>
  Buffer.concat(await Array.fromAsync(socket as AsyncIterable<Buffer>))

test('bytes pass unchanged in both directions, and either side may end first', async () => {
  const bytes = randomBytes(8 * 1024 * 1024)
  // Answers only when everything has arrived: the tunnel must be half open meanwhile.
  const site = await serveTcp(async (socket) => void socket.end(await readAll(socket)))
  const gate = await openTestGate({ allow: `127.0.0.1:${site.port}` })
  const { status, socket } = await openTunnel(gate, `127.0.0.1:${site.port}`)
  expect(status).toBe('HTTP/1.1 200 Connection Established')
  socket.end(bytes)
  expect(sha256(await readAll(socket))).toBe(sha256(bytes))
  expect(gate.received).toBe(bytes.length)
})

test('the site may speak first, and bytes sent together with CONNECT are not lost', async () => {
  const site = await serveTcp((socket) => {
    socket.write('hello ')
    socket.pipe(socket)
  })
  const gate = await openTestGate({ allow: `127.0.0.1:${site.port}` })
  const socket = dial(gate)
  socket.end(`CONNECT 127.0.0.1:${site.port} HTTP/1.1\r\nHost: x\r\n\r\nearly`)
  expect((await readAll(socket)).toString()).toBe('HTTP/1.1 200 Connection Established\r\n\r\nhello early')
})

test('port 80 works like any other port', async () => {
  const site = await serveTcp((socket) => socket.pipe(socket))
  const gate = await openTestGate({
    fixedAddresses: new Map([['chat.test', { address: '127.0.0.1', port: site.port }]]),
  })
  const { status, socket } = await openTunnel(gate, 'chat.test:80')
  expect(status).toMatch(/ 200 /)
  socket.end('GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n')
  expect((await readAll(socket)).toString()).toContain('websocket')
})

describe('if one side closes, the other is closed', () => {
  test.each(['destroy', 'resetAndDestroy'] as const)('the browser, by %s', async (how) => {
    const site = await serveTcp((socket) => socket.resume().once('end', () => socket.end()))
    const gate = await openTestGate({ allow: `127.0.0.1:${site.port}` })
    const { socket } = await openTunnel(gate, `127.0.0.1:${site.port}`)
    socket[how]()
    await until(() => site.sockets[0]?.destroyed === true)
  })

  test.each(['destroy', 'resetAndDestroy'] as const)('the site, by %s', async (how) => {
    const site = await serveTcp()
    const gate = await openTestGate({ allow: `127.0.0.1:${site.port}` })
    const { socket } = await openTunnel(gate, `127.0.0.1:${site.port}`)
    socket.resume()
    site.sockets[0]?.[how]()
    await until(() => socket.destroyed)
  })
})

test('a slow browser gets everything that the site sent before it closed', async () => {
  const bytes = randomBytes(16 * 1024 * 1024)
  const site = await serveTcp((socket) => void socket.resume().end(bytes))
  const gate = await openTestGate({ allow: `127.0.0.1:${site.port}` })
  const { socket } = await openTunnel(gate, `127.0.0.1:${site.port}`)
  socket.end()
  const chunks: Buffer[] = []
  for await (const chunk of socket) {
    chunks.push(chunk)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  expect(sha256(Buffer.concat(chunks))).toBe(sha256(bytes))
})

test('a reset by the site resets the connection of the browser', async () => {
  const site = await serveTcp()
  const gate = await openTestGate({ allow: `127.0.0.1:${site.port}` })
  const { socket } = await openTunnel(gate, `127.0.0.1:${site.port}`)
  let end: string | undefined
  socket.resume().once('error', (error: NodeJS.ErrnoException) => (end ??= error.code))
  socket.once('end', () => (end ??= 'end'))
  site.sockets[0]?.resetAndDestroy()
  await until(() => end !== undefined)
  expect(end).toBe('ECONNRESET')
})

test.each(['site', 'browser'] as const)('a slow reader slows the %s down', async (writer) => {
  const total = 256 * 1024 * 1024
  const chunk = Buffer.alloc(256 * 1024)
  let sent = 0
  const flood = async (socket: Socket) => {
    while (sent < total && !socket.destroyed) {
      sent += chunk.length
      if (!socket.write(chunk)) await new Promise((resolve) => socket.once('drain', resolve))
    }
  }
  const site = await serveTcp((socket) => (writer === 'site' ? flood(socket) : socket.pause()))
  const gate = await openTestGate({ allow: `127.0.0.1:${site.port}` })
  const { socket } = await openTunnel(gate, `127.0.0.1:${site.port}`)
  if (writer === 'browser') flood(socket)
  await until(() => sent > 0)
  for (let before = -1; before !== sent; ) {
    before = sent
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
  expect(sent).toBeLessThan(total / 4)
  const held = sent
  if (writer === 'site') socket.resume()
  else site.sockets[0]?.resume()
  await until(() => sent > held + 32 * 1024 * 1024)
})
