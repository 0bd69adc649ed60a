import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Problem } from '../../src/contract/problem.ts'
import { type Accepting, newPage, newRequest, startAccepting } from '../support/http/requests.ts'
import { makeKey, makeProject } from '../support/store/results.ts'

/** A body is as large as a client's share: while one is held, no other body of this client is admitted. */
const ONE_AT_A_TIME = { MAX_BODY_BYTES: '10000', MAX_BODIES_BYTES: '40000', AUTH: 'keys' }

interface Client {
  readonly projectId: string
  readonly secret: string
}

async function newClient(service: Accepting): Promise<Client> {
  const projectId = await makeProject(service.store)
  return { projectId, ...(await makeKey(service.store, projectId, 'write')) }
}

interface Sending {
  readonly socket: Socket
  /** Everything received, once the connection is closed. */
  readonly answer: Promise<string>
  received(): string
}

/** Sends a request unchanged, with its body or the beginning of it. */
async function send(service: Accepting, client: Client, length: string, body: string): Promise<Sending> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  let text = ''
  socket.setEncoding('utf8').on('error', () => {})
  socket.on('data', (chunk) => {
    text += chunk
  })
  await once(socket, 'connect')
  const head = [
    `POST /api/projects/${client.projectId} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${client.secret}`,
    'Content-Type: application/json',
    'Connection: close',
    length,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  return { socket, answer: once(socket, 'close').then(() => text), received: () => text }
}

const BODY = JSON.stringify(newRequest()).padEnd(10_000)
const sendWhole = (service: Accepting, client: Client) => send(service, client, 'Content-Length: 10000', BODY)
const sendHalf = (service: Accepting, client: Client) =>
  send(service, client, 'Content-Length: 10000', BODY.slice(0, 5_000))

const post = async (service: Accepting, { secret, projectId }: Client) =>
  (await service.post(newRequest(), { projectId, headers: { authorization: secret } })).status

describe('a body', () => {
  test('is not read while its client uses up its share, and other clients do not wait', async () => {
    const service = await startAccepting(ONE_AT_A_TIME)
    const [greedy, other] = [await newClient(service), await newClient(service)]
    const stuck = await sendHalf(service, greedy)
    // By the time a later request is answered, the one before it is under way.
    expect((await service.get('/healthz')).status).toBe(200)
    const waiting = await sendWhole(service, greedy)
    expect(await (await sendWhole(service, other)).answer).toMatch(/^HTTP\/1.1 201 /)
    expect(await post(service, other)).toBe(201)
    expect([stuck.received(), waiting.received()]).toEqual(['', ''])
    stuck.socket.destroy()
    expect(await waiting.answer).toMatch(/^HTTP\/1.1 201 /)
  })

  test('that stops arriving is answered with 408, its connection is closed, and other requests of its client continue', async () => {
    const service = await startAccepting({ ...ONE_AT_A_TIME, REQUEST_TIMEOUT: '2s' })
    const [client, other] = [await newClient(service), await newClient(service)]
    const stuck = await sendHalf(service, client)
    const chunked = await send(service, other, 'Transfer-Encoding: chunked', '1\r\n{\r\n')
    expect(await stuck.answer).toMatch(/^HTTP\/1.1 408 [\s\S]*"code":"request_timeout"/)
    expect(await chunked.answer).toMatch(/^HTTP\/1.1 408 /)
    expect(await (await sendWhole(service, client)).answer).toMatch(/^HTTP\/1.1 201 /)
    expect(service.logLines.join('')).not.toMatch(/"level":(50|60)/)
  })

  test('gives its memory back, whatever becomes of it', async () => {
    const service = await startAccepting(ONE_AT_A_TIME)
    const client = await newClient(service)
    const statusOf = async ({ answer }: Sending) => (await answer).slice(9, 12)
    const given = async (length: string, body: string) => statusOf(await send(service, client, length, body))
    const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
    const chunked = 'Transfer-Encoding: chunked'
    expect(await given('Content-Length: 10000', BODY)).toBe('201')
    expect(await given('Content-Length: 10000', 'x'.repeat(10_000))).toBe('400')
    expect(await given('Content-Length: 10001', '')).toBe('413')
    expect(await given(chunked, `${chunk(BODY)}0\r\n\r\n`)).toBe('201')
    expect(await given(chunked, chunk(`${BODY} `))).toBe('413')
    expect(await given(chunked, 'no chunk at all\r\n')).toBe('')
    expect(await given('Content-Length: 0', '')).toBe('400')
    for (let times = 0; times < 2; times++) {
      const [gone, alsoGone] = [await sendHalf(service, client), await sendHalf(service, client)]
      expect((await service.get('/healthz')).status).toBe(200)
      for (const { socket } of [alsoGone, gone]) socket.destroy()
    }
    expect(await given('Content-Length: 10000', BODY)).toBe('201')
    expect(service.logLines.join('')).not.toMatch(/"level":(50|60)/)
  })

  test('may be larger than the share of a client, and larger than the whole budget', async () => {
    const service = await startAccepting({ MAX_BODY_BYTES: '10000', MAX_BODIES_BYTES: '5000' })
    const statuses = Array.from(
      { length: 5 },
      async () => (await service.post(undefined, { raw: BODY })).status,
    )
    expect(await Promise.all(statuses)).toEqual([201, 201, 201, 201, 201])
  })

  test('is refused with 429 if too many bodies of its client wait', async () => {
    // No request is refused because of its waiting time.
    const service = await startAccepting({ ...ONE_AT_A_TIME, REQUEST_TIMEOUT: '10m' })
    const [greedy, other] = [await newClient(service), await newClient(service)]
    const sent: Sending[] = []
    const refused = () => sent.find(({ received }) => received().startsWith('HTTP/1.1 429'))
    while (!refused()) sent.push(await sendHalf(service, greedy))
    // One is read, and 1,600 wait for it.
    expect(sent.length).toBeGreaterThan(1_601)
    expect(await refused()?.answer).toMatch(/retry-after: 5[\s\S]*"code":"rate_limited"/i)
    expect(await post(service, other)).toBe(201)
    for (const { socket } of sent) socket.destroy()
  })

  test('is refused with 429 if it has waited too long, before its connection is closed', async () => {
    const service = await startAccepting({ ...ONE_AT_A_TIME, REQUEST_TIMEOUT: '3s' })
    const client = await newClient(service)
    const stuck = await sendHalf(service, client)
    const waiting = await Promise.all(Array.from({ length: 20 }, () => sendHalf(service, client)))
    const answers = await Promise.all(waiting.map(({ answer }) => answer))
    // The others had their turn after the one before them had stopped for too long.
    const refused = answers.filter((answer) => /^HTTP\/1.1 429 [\s\S]*retry-after: 5/i.test(answer))
    expect(refused.length).toBeGreaterThan(10)
    stuck.socket.destroy()
  })

  test('that waits does not delay the stop of the service', async () => {
    const service = await startAccepting({ ...ONE_AT_A_TIME, SHUTDOWN_TIMEOUT: '10m' })
    const client = await newClient(service)
    const stuck = await sendHalf(service, client)
    const waiting = await sendHalf(service, client)
    expect((await service.get('/healthz')).status).toBe(200)
    const stopped = service.stop()
    expect(await waiting.answer).toMatch(/^HTTP\/1.1 503 [\s\S]*retry-after: 5/i)
    stuck.socket.destroy()
    await stopped
  })
})

describe('a body with too many parts', () => {
  const detailOf = async (response: Response) => {
    const { errors } = (await response.json()) as Problem
    return [response.status, ...(errors ?? []).map(({ pointer, detail }) => `${pointer} ${detail}`)]
  }

  test('is refused before parsing; so is one that is nested too deeply', async () => {
    const service = await startAccepting()
    const ask = async (raw: string) => await detailOf(await service.post(undefined, { raw }))
    expect(await ask('['.repeat(33) + ']'.repeat(33))).toEqual([400, '# is nested deeper than 32'])
    expect((await ask('['.repeat(32) + ']'.repeat(32)))[1]).toMatch(/^# must be an object/)
    expect(await ask(`[${'0,'.repeat(10_000)}0]`)).toEqual([400, '# has more than 10000 names and values'])
    expect((await ask(`[${'0,'.repeat(9_998)}0]`))[1]).toMatch(/^# must be an object/)
  })

  test('has more parts than the largest valid request', async () => {
    const service = await startAccepting({ MAX_URLS_PER_REQUEST: '1000' })
    const tags = Array.from({ length: 50 }, (_, index) => `${index}`)
    const response = await service.post({
      screenshotParameter: { width: 1, height: 1, fullPage: true, tags },
      urls: Array.from({ length: 1_000 }, (_, index) => ({ ...newPage(index), loadingTime: 1 })),
      failOn: 'status',
    })
    expect(response.status).toBe(201)
  })
})

describe('requests of one client', () => {
  test('are admitted in turns with those of other clients', async () => {
    const service = await startAccepting({ ...ONE_AT_A_TIME, METRICS_TOKEN: 'a-long-random-text' })
    const [busy, other] = [await newClient(service), await newClient(service)]
    const held = async () => {
      const metrics = await service.get('/metrics', { authorization: 'a-long-random-text' })
      return Number(/^proofsheet_bodies (\d+)$/m.exec(await metrics.text())?.[1])
    }
    const taken: string[] = []
    const free = Promise.withResolvers<void>()
    const accept = service.store.captures.accept.bind(service.store.captures)
    service.store.captures.accept = async (request, also) => {
      taken.push(request.projectId === other.projectId ? 'other' : 'busy')
      await free.promise
      return await accept(request, also)
    }
    const answers = [post(service, busy)]
    while (taken.length === 0) await nextIteration()
    for (let times = 0; times < 5; times++) answers.push(post(service, busy))
    await expect.poll(held).toBe(6)
    answers.push(post(service, other))
    await expect.poll(held).toBe(7)
    free.resolve()
    expect(await Promise.all(answers)).toEqual(answers.map(() => 201))
    expect(taken.indexOf('other')).toBeLessThan(5)
  })
})
