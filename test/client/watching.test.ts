import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createClient, NoAnswerError, type RootStatus } from '../../src/client/client.ts'
import { type BareAnswer, events, json, serveBare } from '../support/http/bare-server.ts'
import { begin, DONE, FAILED, finishNext, readStatus, startAccepting } from '../support/http/requests.ts'
import { freePort } from '../support/servers/ports.ts'
import { startProxy } from '../support/servers/tcp-proxy.ts'
import { makeKey } from '../support/store/results.ts'

const ID = '11111111-1111-4111-8111-111111111111'

type PageState = 'queued' | 'running' | 'done' | 'failed'

/** Events with the pages at these positions. */
function statusOf(state: RootStatus['state'], pages: Record<number, PageState>): RootStatus {
  const urls = Object.entries(pages).map(([position, each]) => ({
    ...{ position: Number(position), url: 'https://example.com/', name: 'Grüße 🦉', state: each },
    ...{ attempts: 1, queued: 1 },
  }))
  const counts = { total: 2, queued: 0, running: 0, done: 0, failed: 0 }
  return { rootId: ID, state, created: 1, tags: [], counts, urls }
}

function event(id: number, ...status: Parameters<typeof statusOf>): string {
  return `event: status\nid: ${id}\ndata: ${JSON.stringify(statusOf(...status))}\n\n`
}

function refuse(status: number, body: string, headers: Record<string, string> = {}): BareAnswer {
  return (response) => response.writeHead(status, headers).end(body)
}

const RETRY = 'retry: 120\n\n'
const QUEUED = event(1, 'queued', { 0: 'queued', 1: 'queued' })
const RUNNING = event(2, 'running', { 1: 'running' })
const HALF = event(3, 'running', { 1: 'done' })
const FINISHED = event(4, 'done', { 0: 'done' })

const statesOf = ({ urls }: RootStatus) => urls.map(({ state }) => state)

/** All statuses until the end. */
async function watch(server: string, more: { signal?: AbortSignal; patience?: number } = {}) {
  return await Array.fromAsync(createClient({ server }).watchStatus(ID, ID, more))
}

describe('with the service', () => {
  test('yields the whole status whenever it changes, and ends when the root is finished', async () => {
    const service = await startAccepting({ AUTH: 'keys' })
    const { secret: key } = await makeKey(service.store, service.projectId, 'write')
    const client = createClient({ server: service.url, key })
    const { jobId } = await client.requestScreenshots(service.projectId, {
      screenshotParameter: { width: 1200, height: 720 },
      urls: [0, 1, 2].map((index) => ({ url: `https://example.com/${index}`, name: `Page ${index} 🦉` })),
    })
    const watching = client.watchStatus(service.projectId, jobId)
    const told: RootStatus[] = []
    const hear = async () => {
      const { value } = await watching.next()
      expect(value).toEqual(await client.getStatus(service.projectId, jobId))
      if (value) told.push(value)
    }
    await hear()
    const task = await begin(service.store, jobId)
    await hear()
    await service.store.captures.finish(task, DONE, 2)
    await hear()
    await finishNext(service.store, jobId, FAILED)
    await hear()
    await finishNext(service.store, jobId)
    await hear()
    expect(await watching.next()).toEqual({ done: true, value: undefined })
    // Each status is an object of its own: later events have not changed it.
    expect(told.map(statesOf)).toEqual([
      ['queued', 'queued', 'queued'],
      ['running', 'queued', 'queued'],
      ['done', 'queued', 'queued'],
      ['done', 'failed', 'queued'],
      ['done', 'failed', 'done'],
    ])
    expect(await Array.fromAsync(client.watchStatus(service.projectId, jobId))).toEqual(told.slice(-1))
  })

  test('continues after streams that end and connections that break', async () => {
    const service = await startAccepting({ RESPONSE_TIMEOUT: '1001ms' })
    const proxy = await startProxy(Number(new URL(service.url).port))
    onTestFinished(() => proxy.close())
    const rootId = await service.accept(8)
    const connections = () => service.logLines.filter((line) => line.includes('/events')).length
    const cutting = setInterval(() => proxy.cut(), 700)
    onTestFinished(() => clearInterval(cutting))
    const working = (async () => {
      for (let index = 0; index < 7; index++) {
        await sleep(400)
        await finishNext(service.store, rootId, index % 3 ? DONE : FAILED)
      }
      // The last one only when some connections have broken.
      while (connections() < 2) await sleep(10)
      clearInterval(cutting)
      await finishNext(service.store, rootId)
    })()
    const client = createClient({ server: `http://127.0.0.1:${proxy.port}` })
    const told: RootStatus[] = []
    for await (const status of client.watchStatus(service.projectId, rootId)) told.push(status)
    await working
    expect(told.at(-1)).toEqual(await readStatus(service, rootId))
    for (const { urls } of told)
      expect(urls.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    const finished = told.map(({ counts }) => counts.done + counts.failed)
    expect(finished).toEqual(finished.toSorted((one, other) => one - other))
    await expect.poll(connections).toBeGreaterThan(2)
  })

  test('a consumer that stops or aborts leaves no connection behind', async () => {
    const service = await startAccepting()
    const rootId = await service.accept()
    const client = createClient({ server: service.url })
    const closed = async (count: number) => {
      while (service.logLines.filter((line) => line.includes('"aborted":true')).length < count)
        await sleep(10)
    }
    for await (const status of client.watchStatus(service.projectId, rootId)) {
      expect(status.state).toBe('queued')
      break
    }
    await closed(1)
    const stop = new AbortController()
    const told: string[] = []
    for await (const { state } of client.watchStatus(service.projectId, rootId, { signal: stop.signal })) {
      told.push(state)
      setTimeout(() => stop.abort(), 50)
    }
    expect(told).toEqual(['queued'])
    await closed(2)
  })

  test('a missing or foreign root throws at once', async () => {
    const service = await startAccepting({ AUTH: 'keys' })
    const { secret: key } = await makeKey(service.store, service.projectId)
    const watching = createClient({ server: service.url, key }).watchStatus(service.projectId, ID)
    await expect(watching.next()).rejects.toMatchObject({ status: 404, code: 'not_found' })
    await expect(watch(service.url)).rejects.toMatchObject({ status: 401, code: 'unauthorized' })
  })
})

describe('a stream that is', () => {
  test.each<[string, string]>([
    ['plain', `${RETRY}${QUEUED}${RUNNING}${HALF}${FINISHED}`],
    ['of lines that end in CRLF', `${RETRY}${QUEUED}${RUNNING}${HALF}${FINISHED}`.replaceAll('\n', '\r\n')],
    ['of lines that end in CR', `${RETRY}${QUEUED}${RUNNING}${HALF}${FINISHED}`.replaceAll('\n', '\r')],
    ['full of comments', `:\n\n${QUEUED}: still here\n\n:\n${RUNNING}:\n:\n${HALF}:\n\n${FINISHED}`],
    [
      'full of other events',
      `data: hello\n\n${QUEUED}event: x\ndata: {\n\n${RUNNING}${HALF}data: {}\n\n${FINISHED}`,
    ],
  ])('%s is read byte by byte', async (_, text) => {
    const { url, asked } = await serveBare(
      events(...Array.from(Buffer.from(text), (byte) => Uint8Array.of(byte))),
    )
    const told = await watch(url)
    expect(told.map(statesOf)).toEqual([
      ['queued', 'queued'],
      ['queued', 'running'],
      ['queued', 'done'],
      ['done', 'done'],
    ])
    expect(told.map(({ urls }) => urls.map(({ name }) => name))).toEqual(
      told.map(() => ['Grüße 🦉', 'Grüße 🦉']),
    )
    expect(asked).toHaveLength(1)
    expect(asked[0]?.headers.accept).toBe('text/event-stream')
  })

  test('cut anywhere is continued after the last complete event', async () => {
    const first = Buffer.from(`${RETRY.replace('120', '0')}${QUEUED}`)
    const second = Buffer.from(RUNNING)
    // The parser has a test for every byte.
    for (const length of [1, 9, first.length - 1, first.length, first.length + 12, first.length + 60]) {
      const sent = Buffer.concat([first, second]).subarray(0, length)
      const broken: BareAnswer = (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(sent)
        setTimeout(() => response.destroy(), 10)
      }
      const { url, asked } = await serveBare(broken, events(QUEUED, FINISHED))
      const told = await watch(url)
      expect(told.at(-1)?.urls.map(({ state }) => state)).toEqual(['done', 'queued'])
      expect(asked.map(({ headers }) => headers['last-event-id'])).toEqual([
        undefined,
        length >= first.length ? '1' : undefined,
      ])
    }
  })
})

/** The milliseconds between this many requests to a server that always gives the same answer. */
async function gapsBetween(times: number, answer: BareAnswer): Promise<number[]> {
  const at: number[] = []
  const stop = new AbortController()
  const { url } = await serveBare((...given) => {
    if (at.push(performance.now()) === times) stop.abort()
    return answer(...given)
  })
  await watch(url, { signal: stop.signal })
  return at.slice(1).map((time, index) => time - (at[index] ?? 0))
}

describe('reconnects', () => {
  test('with the id of the last event, after the time that the server requests', async () => {
    const at: number[] = []
    const stamped =
      (answer: BareAnswer): BareAnswer =>
      (...given) => {
        at.push(performance.now())
        return answer(...given)
      }
    const { url, asked } = await serveBare(
      stamped(events('retry: 400\n\n', QUEUED, RUNNING)),
      stamped(events(HALF)),
      stamped(events(FINISHED)),
    )
    expect((await watch(url)).map(statesOf)).toEqual([
      ['queued', 'queued'],
      ['queued', 'running'],
      ['queued', 'done'],
      ['done', 'done'],
    ])
    expect(asked.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2', '3'])
    const gaps = at.slice(1).map((time, index) => time - (at[index] ?? 0))
    for (const gap of gaps) expect(gap).toBeGreaterThan(390)
  })

  test('until the root is finished', async () => {
    const { url, asked } = await serveBare(events(RETRY, QUEUED), (response) => response.writeHead(204).end())
    expect(await watch(url)).toHaveLength(1)
    expect(asked).toHaveLength(2)
  })

  test('after every temporary failure', async () => {
    const { url, asked } = await serveBare(
      events('retry: 1\n\n', QUEUED),
      refuse(502, '<html>Bad Gateway</html>', { 'content-type': 'text/html' }),
      refuse(429, '{"code":"rate_limited"}', { 'retry-after': '1' }),
      (response) => response.socket?.destroy(),
      refuse(503, '{"code":"unavailable"}'),
      events(FINISHED),
    )
    const begun = performance.now()
    expect(await watch(url)).toHaveLength(2)
    expect(performance.now() - begun).toBeGreaterThan(1_000)
    expect(asked.map(({ path, headers }) => [path.split('/').at(-1), headers['last-event-id']])).toEqual([
      ['events', undefined],
      ['events', '1'],
      ['status', undefined],
      ['events', '1'],
      ['status', undefined],
      ['events', '1'],
    ])
  })

  test('and requests the status every second time if no events arrive', async () => {
    const queued = statusOf('queued', { 0: 'queued', 1: 'queued' })
    const running = statusOf('running', { 0: 'queued', 1: 'done' })
    const done = statusOf('done', { 0: 'done', 1: 'done' })
    const held = refuse(504, '')
    const { url, asked } = await serveBare(
      events('retry: 1\n\n'),
      ...[held, json(queued), held, json(queued), held, json(running), held, json(done)],
    )
    expect(await watch(url)).toEqual([queued, running, done])
    expect(asked.slice(1).map(({ path }) => path.split('/').at(-1))).toEqual(
      Array.from({ length: 4 }, () => ['events', 'status']).flat(),
    )
  })

  test('with growing pauses if nothing arrives', async () => {
    const gaps = await gapsBetween(5, events('retry: 100\n\n'))
    // 100, 200, 400, 800, each up to a quarter longer.
    expect(gaps).toHaveLength(4)
    for (const [index, gap] of gaps.entries()) expect(gap).toBeGreaterThan(95 * 2 ** index)
  })

  test('never without a pause, even if the server says so', async () => {
    for (const gap of await gapsBetween(5, events('retry: 0\n\n', QUEUED))) expect(gap).toBeGreaterThan(95)
  })

  test('without an id that does not fit into a header', async () => {
    const { url, asked } = await serveBare(events(RETRY, QUEUED.replace('id: 1', 'id: ☃')), events(FINISHED))
    await watch(url)
    expect(asked.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, undefined])
  })
})

describe('gives up', () => {
  test.each<[string, BareAnswer, object]>([
    ['a 404', (response) => response.writeHead(404).end('{"code":"not_found"}'), { code: 'not_found' }],
    ['a login page', json({}, { 'content-type': 'text/html' }), { code: 'unexpected_answer', status: 200 }],
    ['a redirect', (response) => response.writeHead(302, { location: '/' }).end(), { status: 302 }],
    ['an event that is not JSON', events('event: status\ndata: {\n\n'), { code: 'unexpected_answer' }],
  ])('at once if the answer is %s', async (_, answer, error) => {
    const { url, asked } = await serveBare(answer)
    await expect(watch(url)).rejects.toMatchObject(error)
    expect(asked).toHaveLength(1)
  })

  test('when its patience ends, with the last error', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`
    const begun = performance.now()
    await expect(watch(nobody, { patience: 1.5 })).rejects.toBeInstanceOf(NoAnswerError)
    expect(performance.now() - begun).toBeGreaterThan(1_450)
    const { url, asked } = await serveBare((response) =>
      response.writeHead(503, { 'retry-after': '3600' }).end('{"code":"unavailable"}'),
    )
    await expect(watch(url, { patience: 0.5 })).rejects.toMatchObject({ code: 'unavailable' })
    expect(asked).toHaveLength(2)
    await expect(watch(nobody, { patience: 0 })).rejects.toBeInstanceOf(NoAnswerError)
  })

  test('only if the server is unreachable: a slow consumer does not count', async () => {
    const { url } = await serveBare(
      events(RETRY, QUEUED),
      (response) => response.socket?.destroy(),
      json(statusOf('done', { 0: 'done', 1: 'done' })),
    )
    const told: string[] = []
    for await (const { state } of createClient({ server: url }).watchStatus(ID, ID, { patience: 0.6 })) {
      told.push(state)
      await sleep(1_000)
    }
    expect(told).toEqual(['queued', 'done'])
  })

  test('without an error when it is aborted: before, while it waits, and while it pauses', async () => {
    // A pause that is longer than this test may take.
    const { url, asked } = await serveBare(events('retry: 280000\n\n', QUEUED))
    expect(await watch(url, { signal: AbortSignal.abort() })).toEqual([])
    expect(asked).toEqual([])
    const pausing = new AbortController()
    const told: string[] = []
    for await (const { state } of createClient({ server: url }).watchStatus(ID, ID, pausing)) {
      told.push(state)
      setTimeout(() => pausing.abort(), 300)
    }
    expect([told, asked.length]).toEqual([['queued'], 1])
    const waiting = new AbortController()
    const silent = await serveBare(() => waiting.abort())
    expect(await watch(silent.url, { signal: waiting.signal })).toEqual([])
  })
})

test('silent connections are closed and replaced', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const asked: string[] = []
  /** Sends an event or nothing, and then nothing more, but still ends when it is stopped. */
  const dead: typeof fetch = async (address, { headers, signal } = {}) => {
    asked.push(`${String(address).split('/').at(-1)} ${new Headers(headers).get('last-event-id')}`)
    const text = [QUEUED, undefined, undefined, FINISHED][asked.length - 1]
    const stopped = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason))
    })
    if (text === undefined) return await stopped
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
      pull: () => stopped,
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  const watching = createClient({ server: 'http://x', fetch: dead }).watchStatus(ID, ID)
  expect((await watching.next()).value?.state).toBe('queued')
  const next = watching.next()
  await vi.advanceTimersByTimeAsync(44_000)
  expect(asked).toEqual(['events null'])
  await vi.advanceTimersByTimeAsync(3_000)
  expect(asked).toEqual(['events null', 'events 1'])
  await vi.advanceTimersByTimeAsync(47_000)
  expect(asked).toEqual(['events null', 'events 1', 'status null'])
  await vi.advanceTimersByTimeAsync(47_000)
  expect(asked).toEqual(['events null', 'events 1', 'status null', 'events 1'])
  expect((await next).value?.state).toBe('done')
})
