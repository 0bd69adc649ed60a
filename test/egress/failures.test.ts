import { spawn } from 'node:child_process'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Gate, Lookup } from '../../src/egress/guard.ts'
import { until } from '../support/runner/until.ts'
import { freePort } from '../support/servers/ports.ts'
import { dial, openTestGate, openTunnel, sendRequest, serveTcp } from './browser.ts'

// Failed requests: http gets a closed connection, CONNECT a status, and the gate keeps the reason of both.

async function expectFailure(gate: Gate, host: string, reason: string, detail: RegExp) {
  expect(await sendRequest(gate, `http://${host}/`)).toBe('')
  expect(gate.failureOf(`http://${host}/`)).toEqual({ reason, detail: expect.stringMatching(detail) })
  expect((await openTunnel(gate, host)).status).toBe('HTTP/1.1 502 Bad Gateway')
  expect(gate.failureOf(`https://${host}/`)).toEqual({ reason, detail: expect.stringMatching(detail) })
}

function failWith(code: string): Lookup {
  return () => Promise.reject(Object.assign(new Error(`getaddrinfo ${code}`), { code }))
}

test('a name that is not in DNS fails with `dns`', async () => {
  const gate = await openTestGate({ lookup: failWith('ENOTFOUND') })
  await expectFailure(gate, 'gone.test:8080', 'dns', /^gone\.test has no address in DNS$/)
})

test('a name without addresses fails with `dns`', async () => {
  const gate = await openTestGate({ lookup: async () => [] })
  await expectFailure(gate, 'empty.test:8080', 'dns', /^empty\.test has no address in DNS$/)
})

test('a DNS that does not work fails with `dns`', async () => {
  const gate = await openTestGate({ lookup: failWith('EAI_AGAIN') })
  await expectFailure(gate, 'any.test:8080', 'dns', /^any\.test could not be looked up \(EAI_AGAIN\)$/)
})

test('a look-up that rejects with undefined fails with `dns`', async () => {
  const gate = await openTestGate({ lookup: () => Promise.reject(undefined) })
  await expectFailure(gate, 'any.test:8080', 'dns', /^any\.test could not be looked up \(unknown error\)$/)
})

test('a port without a listener fails with `refused`', async () => {
  const port = await freePort()
  const gate = await openTestGate({ allow: '127.0.0.1' })
  await expectFailure(gate, `127.0.0.1:${port}`, 'refused', /^127\.0\.0\.1, port \d+ refused the connection$/)
})

test('a fixed address without a listener fails with `refused`', async () => {
  const fixedAddresses = new Map([['demo.test', { address: '127.0.0.1', port: await freePort() }]])
  const gate = await openTestGate({ fixedAddresses })
  await expectFailure(gate, 'demo.test:8080', 'refused', /^127\.0\.0\.1, port \d+ refused the connection$/)
})

test('the default port of http and ws is 80, that of https and wss is 443', async () => {
  const gate = await openTestGate({ lookup: async (name) => [name === 'a.test' ? '10.0.0.1' : '127.0.0.9'] })
  await openTunnel(gate, 'A.test:443')
  expect(gate.failureOf('https://a.test/x')?.reason).toBe('blocked')
  expect(gate.failureOf('wss://a.TEST.:443/')?.detail).toContain('a private address')
  expect(gate.failureOf('http://a.test/')).toBeUndefined()
  await sendRequest(gate, 'http://b.test/')
  expect(gate.failureOf('http://b.test:80')?.detail).toContain('a loopback address')
  expect(gate.failureOf('ws://b.test/')?.reason).toBe('blocked')
  expect(gate.failureOf('https://b.test/')).toBeUndefined()
  await sendRequest(gate, 'http://[::1]:443/')
  expect(gate.failureOf('https://[0:0::1]/')?.detail).toContain('::1 is a loopback address')
  for (const odd of ['', 'nonsense', 'about:blank', 'data:,x', 'ftp://a.test/']) {
    expect(gate.failureOf(odd)).toBeUndefined()
  }
})

test('a failure is forgotten when the host works again', async () => {
  const answers = [['10.0.0.1'], ['127.0.0.1']]
  const site = await serveTcp()
  const gate = await openTestGate({ lookup: async () => answers.shift() ?? [], allow: '127.0.0.1' })
  await openTunnel(gate, `twice.test:${site.port}`)
  expect(gate.failureOf(`https://twice.test:${site.port}/`)?.reason).toBe('blocked')
  await openTunnel(gate, `twice.test:${site.port}`)
  expect(gate.failureOf(`https://twice.test:${site.port}/`)).toBeUndefined()
})

test('the failures of very many hosts are not all kept', async () => {
  const gate = await openTestGate({ lookup: async () => ['10.0.0.1'] })
  for (let i = 0; i < 1_050; i++) await openTunnel(gate, `h${i}.test:443`)
  expect(gate.failureOf('https://h0.test/')).toBeUndefined()
  expect(gate.failureOf('https://h1049.test/')?.reason).toBe('blocked')
})

test('at most four addresses are tried, and the most specific failure is reported', async () => {
  const site = await serveTcp()
  // On Linux all of 127.0.0.0/8 is this machine; nobody listens on the first three.
  const answers = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.1']
  const lookup: Lookup = async (name) => (name === 'four.test' ? answers : ['127.0.0.5', ...answers])
  const gate = await openTestGate({ lookup, allow: '127.0.0.0/8', connectMs: 4_000 })
  expect((await openTunnel(gate, `four.test:${site.port}`)).status).toMatch(/ 200 /)
  expect((await openTunnel(gate, `five.test:${site.port}`)).status).toMatch(/ 502 /)
  expect(site.sockets.length).toBe(1)
  if (process.platform !== 'linux') return
  expect(gate.failureOf(`https://five.test:${site.port}/`)?.reason).toBe('refused')
})

/** A port whose queue is full: its process listens, is blocked and never accepts. */
async function fullPort(): Promise<number | undefined> {
  const script = `const server = require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('fs').writeSync(1, String(server.address().port))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const port = await new Promise<number>((resolve) =>
    child.stdout.once('data', (text) => resolve(Number(text))),
  )
  for (let i = 0; i < 64; i++) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    const took = new Promise((resolve) => socket.once('connect', () => resolve(true)))
    // On a machine that was frozen for so long, the event that was due comes first.
    const late = sleep(500).then(() => sleep(50, false))
    if (!(await Promise.race([took, late]))) return port
  }
  return undefined
}

test('a connection that is never accepted fails', async ({ skip }) => {
  const port = await fullPort()
  if (port === undefined) return skip('this system takes any number of connections that nobody accepts')
  const gate = await openTestGate({ allow: '127.0.0.1', connectMs: 300 })
  await expectFailure(
    gate,
    `127.0.0.1:${port}`,
    'timeout',
    /^127\.0\.0\.1, port \d+ did not answer within 300 ms$/,
  )
})

test('a connection that is never accepted leaves time for the next address', async ({ skip }) => {
  if (process.platform !== 'linux') return skip('needs 127.0.0.2')
  const port = await fullPort()
  if (port === undefined) return skip('this system takes any number of connections that nobody accepts')
  const server = createServer((socket) => void socket.end()).listen(port, '127.0.0.2')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => void server.close())
  const lookup = async () => ['127.0.0.1', '127.0.0.2']
  const gate = await openTestGate({ lookup, allow: '127.0.0.0/8', connectMs: 8_000 })
  const start = performance.now()
  expect((await openTunnel(gate, `two.test:${port}`)).status).toMatch(/ 200 /)
  // After half of the time; if the first address could use all of it, the next attempt would begin at its end.
  expect(performance.now() - start).toBeLessThan(8_000)
})

test('a browser that gives up waiting for a connection ends the attempt, which does not count as a failure of the site', async ({
  skip,
}) => {
  const port = await fullPort()
  if (port === undefined) return skip('this system takes any number of connections that nobody accepts')
  const gate = await openTestGate({ allow: '127.0.0.1', connectMs: 60_000 })
  const socket = dial(gate)
  socket.write(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n\r\n`)
  const connecting = () => process.getActiveResourcesInfo().filter((name) => name === 'ConnectWrap').length
  await until(() => connecting() > 1)
  socket.destroy()
  await until(() => connecting() === 1)
  expect(gate.failureOf(`http://127.0.0.1:${port}/`)).toBeUndefined()
})
