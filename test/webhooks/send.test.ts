import { readFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { parseAllowList } from '../../src/egress/allow-list.ts'
import { createWayOut, type Lookup } from '../../src/egress/guard.ts'
import { createSend, type SendRules } from '../../src/webhooks/send.ts'
import { type Answer, openReceiver } from '../support/http/receiver.ts'
import { PATIENCE_MS } from '../support/runner/patience.ts'

const HERE: Lookup = async () => ['127.0.0.1']

/** Sends to this machine, whatever the name. */
function sender(rules: Partial<SendRules> = {}, allow = '127.0.0.1,localhost,other.test') {
  const reach = createWayOut({ allow: parseAllowList(allow), lookup: HERE })
  const send = createSend({ reach, ...rules })
  return (url: string, signal = new AbortController().signal, projectId = 'mine') =>
    send({ url, headers: { 'x-mine': '1' }, body: '{"a":"ü"}', projectId }, signal)
}

async function receive(answer: Answer, tls?: { key: Buffer; cert: Buffer }) {
  const receiver = await openReceiver(answer, tls ? { tls } : {})
  onTestFinished(() => receiver.close())
  return receiver
}

/** A server that sends any bytes, which need not be HTTP. */
async function speak(say: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    say(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`
}

test('the whole request is sent, and the status and the beginning of the answer are returned', async () => {
  const receiver = await receive(
    (to) => void to.writeHead(202).end(`a\u0000b\u202Ec\n${'ü'.repeat(5_000_000)}`),
  )
  const sent = await sender()(`${receiver.url}?x=1`)
  expect(sent).toMatchObject({ status: 202, answer: expect.stringMatching(/^a b c ü{90,}$/) })
  expect(Buffer.byteLength(sent.answer ?? '')).toBeLessThanOrEqual(200)
  expect(receiver.received).toMatchObject([
    { path: '/hook?x=1', body: '{"a":"ü"}', headers: { 'x-mine': '1', 'content-length': '10' } },
  ])
})

test('an endless body does not hold up the attempt', async () => {
  const receiver = await receive((to) => {
    to.writeHead(200)
    to.write('begun')
  })
  expect(await sender()(receiver.url)).toMatchObject({ status: 200, answer: 'begun' })
})

test('a receiver that does not answer gives a problem and no status', async () => {
  const sent = await sender({ timeoutMs: 200 })(await speak(() => {}))
  expect([sent.status, sent.problem]).toEqual([undefined, 'There was no answer within 0.2 s.'])
})

const NO_ANSWERS: [string, (socket: Socket) => void, string][] = [
  ['hangs up', (socket) => void socket.end(), 'It closed the connection before it answered.'],
  [
    'resets',
    (socket) => void socket.once('data', () => socket.resetAndDestroy()),
    'It closed the connection before it answered.',
  ],
  ['is no web server', (socket) => void socket.end('SSH-2.0-x\r\n'), 'Its answer is not valid HTTP'],
  [
    'sends headers without end',
    (socket) => void socket.write(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(10_000)}`),
    'Its answer is not valid HTTP (HPE_HEADER_OVERFLOW).',
  ],
  [
    'wants another protocol',
    (socket) =>
      void socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    'The request failed (it asked for another protocol).',
  ],
]

test.each(NO_ANSWERS)('a receiver that %s gives a problem and no status', async (_, say, problem) => {
  const sent = await sender({ timeoutMs: PATIENCE_MS })(await speak(say))
  expect(sent.status).toBeUndefined()
  expect(sent.problem).toContain(problem)
})

test('a connection is reused for the same project and place, and for no other', async () => {
  const ports: (number | undefined)[] = []
  const receiver = await receive((to, _one, request) => {
    ports.push(request.socket.remotePort)
    to.writeHead(request.url === '/fails' ? 500 : 204).end()
  })
  const send = sender()
  const { signal } = new AbortController()
  const origin = new URL(receiver.url).origin
  for (const url of [receiver.url, `${origin}/other`])
    expect(await send(url, signal)).toMatchObject({ status: 204 })
  expect(ports[1]).toBe(ports[0])
  await send(receiver.url, signal, 'another project')
  expect(ports[2]).not.toBe(ports[0])
  await send(receiver.url.replace('127.0.0.1', 'localhost'), signal)
  expect(ports[3]).not.toBe(ports[0])
  // A failed connection is not kept.
  await send(`${origin}/fails`, signal)
  expect(ports[4]).toBe(ports[0])
  await send(receiver.url, signal)
  expect(ports[5]).not.toBe(ports[0])
})

test('a kept connection that the receiver has closed is replaced without a failed attempt', async () => {
  let isFirst = true
  const receiver = await receive((to, _one, request) => {
    to.writeHead(204).end()
    // Like a server that closes an idle connection just as the next request is sent.
    if (isFirst) request.socket.once('data', () => request.socket.destroy())
    isFirst = false
  })
  const send = sender()
  for (let each = 0; each < 3; each++) expect(await send(receiver.url)).toMatchObject({ status: 204 })
})

test('certificates are verified for the host name of the webhook', async () => {
  const file = (name: string) => readFile(join(import.meta.dirname, '../support/servers/tls', name))
  const [key, cert, ca, otherCa] = await Promise.all(
    ['server.key', 'server.pem', 'ca.pem', 'other-ca.pem'].map(file),
  )
  const { port, received } = await receive((to) => void to.end(), {
    key: key as Buffer,
    cert: cert as Buffer,
  })
  const usual = getCACertificates()
  onTestFinished(() => setDefaultCACertificates(usual))
  const trusting = (...which: Buffer[]) => {
    setDefaultCACertificates(which)
    return sender()
  }
  expect(await trusting(ca as Buffer)(`https://127.0.0.1:${port}/`)).toMatchObject({ status: 200 })
  expect(received).toHaveLength(1)
  const invalid = { problem: expect.stringContaining('Its certificate or encryption is not valid') }
  expect(await trusting(otherCa as Buffer)(`https://127.0.0.1:${port}/`)).toMatchObject(invalid)
  expect(await trusting()(`https://127.0.0.1:${port}/`)).toMatchObject(invalid)
  expect(await trusting(ca as Buffer)(`https://other.test:${port}/`)).toMatchObject(invalid)
  expect(received).toHaveLength(1)
})

test('an aborted attempt ends at once, wherever it is', async () => {
  for (const url of [await speak(() => {}), (await speak(() => {})).replace('http:', 'https:')]) {
    const over = new AbortController()
    const sent = sender()(url, over.signal)
    setTimeout(() => over.abort(new Error('the service stops')), 20)
    await expect(sent).rejects.toThrow('the service stops')
  }
})
