import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { type EventStream, openEvents } from '../support/http/event-stream.ts'
import {
  type Accepting,
  begin,
  bothDatabases,
  countLooks,
  DONE,
  eventsUrl,
  finishNext,
  readStatus,
  startAccepting,
  statusUrl,
} from '../support/http/requests.ts'
import { usePostgres } from '../support/servers/use-servers.ts'
import { addRows, makeKey, makeProject, rootsUrl } from '../support/store/results.ts'

const postgres = usePostgres()

type Read = 'findChanges' | 'findVersion'

/** Counts calls of the store. */
function countReads({ captures }: Store, read: Read): () => number {
  let count = 0
  const original = captures[read].bind(captures) as (...values: unknown[]) => Promise<unknown>
  Object.assign(captures, {
    [read]: (...values: unknown[]) => {
      count++
      return original(...values)
    },
  })
  return () => count
}

async function watch(service: Accepting, rootId: string, secret?: string): Promise<EventStream> {
  const stream = await openEvents(
    service.url + eventsUrl(service.projectId, rootId),
    secret === undefined ? {} : { authorization: secret },
  )
  onTestFinished(() => stream.cut())
  return stream
}

async function watchRaw(service: Accepting, rootId: string): Promise<Socket> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  await once(socket, 'connect')
  onTestFinished(() => void socket.destroy())
  socket.write(`GET ${eventsUrl(service.projectId, rootId)} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  return socket
}

describe.each(bothDatabases(postgres))('a client that watches a root (%s)', (_, world) => {
  test('shares one read of each change, and of the whole, with all others', async () => {
    const service = await startAccepting(await world())
    const rootId = await service.accept(2)
    const reads = countReads(service.store, 'findChanges')
    const streams = await Promise.all(Array.from({ length: 60 }, () => watch(service, rootId)))
    await Promise.all(streams.map((stream) => stream.next()))
    expect(reads()).toBe(1)
    for (let page = 0; page < 2; page++) {
      const before = reads()
      await service.store.captures.finish(await begin(service.store, rootId), DONE, 2)
      const heard = await Promise.all(streams.map(untilFinished(page + 1)))
      expect(heard.every((status) => status?.counts.done === page + 1)).toBe(true)
      // A read at the beginning and one at the end: shared, or one after the other.
      expect(reads() - before).toBeLessThanOrEqual(3)
    }
    expect(await Promise.all(streams.map((stream) => stream.next()))).toEqual(streams.map(() => undefined))
  })

  test('costs only keep-alive comments while nothing happens', async () => {
    const service = await startAccepting({ ...(await world()), IDLE_TIMEOUT: '1s' })
    const rootId = await service.accept()
    const stream = await watch(service, rootId)
    await stream.next()
    const counts = [countReads(service.store, 'findChanges'), countReads(service.store, 'findVersion')]
    const next = stream.next()
    await expect.poll(() => stream.parser.comments).toBeGreaterThan(1)
    expect(counts.map((count) => count())).toEqual([0, 0])
    await finishNext(service.store, rootId)
    expect((await next)?.status.counts.queued).toBe(0)
  })
})

/** The next status with this many pages done. */
function untilFinished(done: number) {
  return async (stream: EventStream) => {
    for (;;) {
      const event = await stream.next()
      if (!event || event.status.counts.done >= done) return event?.status
    }
  }
}

test('that does not read has one event kept for it, whatever happens meanwhile', async () => {
  const service = await startAccepting({ MAX_URLS_PER_REQUEST: '1000', MAX_BODY_BYTES: '20000000' })
  // More bytes than the system buffers for a client that does not read.
  const url = `https://example.com/${'x'.repeat(8_000)}`
  const urls = Array.from({ length: 1_000 }, (_, index) => ({ url, name: String(index) }))
  const rootId = await service.accept(0, { urls })
  const socket = (await watchRaw(service, rootId)).pause()
  const reading = await watch(service, rootId)
  await reading.next()
  for (let page = 0; page < 3; page++) {
    await finishNext(service.store, rootId)
    await untilFinished(page + 1)(reading)
  }
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  socket.resume()
  await expect.poll(() => text).toContain('"done":3')
  // Everything, and then all later changes in one event.
  expect(text.match(/event: status/g)).toHaveLength(2)
})

describe('event streams', () => {
  test('are limited for each key; another key has its own limit', async () => {
    const service = await startAccepting({ AUTH: 'keys', MAX_STREAMS_PER_CLIENT: '3' })
    const { secret } = await makeKey(service.store, service.projectId, 'write')
    const { secret: other } = await makeKey(service.store, service.projectId)
    const response = await service.post(
      { screenshotParameter: { width: 10, height: 10 }, urls: [{ url: 'https://example.com', name: 'a' }] },
      { headers: { authorization: secret } },
    )
    const { jobId } = (await response.json()) as { jobId: string }
    const path = statusUrl(service.projectId, jobId)
    const looks = countLooks(service)
    const waiting = service.get(`${path}?wait=30`, { authorization: secret })
    await expect.poll(looks).toBeGreaterThan(0)
    const streams = await Promise.all([1, 2].map(() => watch(service, jobId, secret)))
    const refused = await service.get(eventsUrl(service.projectId, jobId), { authorization: secret })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    expect(await refused.json()).toMatchObject({
      code: 'rate_limited',
      detail:
        '3 answers that wait for changes are open already (MAX_STREAMS_PER_CLIENT): close one of them first',
    })
    expect((await service.get(`${path}?wait=30`, { authorization: secret })).status).toBe(429)
    expect((await service.get(path, { authorization: secret })).status).toBe(200)
    expect((await watch(service, jobId, other)).response.status).toBe(200)
    streams[0]?.cut()
    await expect.poll(async () => (await watch(service, jobId, secret)).response.status).toBe(200)
    await finishNext(service.store, jobId)
    expect((await waiting).status).toBe(200)
  })

  test('end when their key is revoked, and so does a waiting request', async () => {
    const service = await startAccepting({ AUTH: 'keys' })
    const { secret, keyId } = await makeKey(service.store, service.projectId, 'write')
    const { secret: other } = await makeKey(service.store, service.projectId)
    const rootId = await acceptWith(service, secret)
    const [stream, stays] = [await watch(service, rootId, secret), await watch(service, rootId, other)]
    const waiting = service.get(`${statusUrl(service.projectId, rootId)}?wait=40`, { authorization: secret })
    await Promise.all([stream.next(), stays.next()])
    await service.store.revokeKey(keyId, service.now)
    expect(await stream.next()).toBeUndefined()
    expect((await waiting).status).toBe(401)
    await finishNext(service.store, rootId)
    expect((await stays.next())?.status.counts.queued).toBe(0)
  })
})

async function acceptWith(service: Accepting, secret: string): Promise<string> {
  const response = await service.post(
    { screenshotParameter: { width: 10, height: 10 }, urls: [{ url: 'https://example.com', name: 'a' }] },
    { headers: { authorization: secret } },
  )
  return ((await response.json()) as { jobId: string }).jobId
}

describe.each(bothDatabases(postgres))('a large root (%s)', (_, world) => {
  test('is read in parts: its status and its events if it was imported', async () => {
    const service = await startAccepting(await world())
    const { store, projectId } = service
    const rootId = await addRows(store, projectId, { jobs: 450 })
    const limits: number[] = []
    const pageJobs = store.pageJobs.bind(store)
    store.pageJobs = (project, root, page) => {
      limits.push(page.limit)
      return pageJobs(project, root, page)
    }
    const status = await readStatus(service, rootId)
    expect(status.urls.map(({ position }) => position)).toEqual(Array.from({ length: 450 }, (_, at) => at))
    expect(status).toMatchObject({ state: 'done', counts: { total: 450, done: 450 } })
    const stream = await watch(service, rootId)
    expect((await stream.next())?.status).toEqual(status)
    expect(limits).toEqual([200, 200, 200, 200, 200, 200])
  })

  test('that one key requests very often does not delay another key with one as large', async () => {
    const service = await startAccepting({ ...(await world()), AUTH: 'keys' })
    const { store } = service
    const [mine, theirs] = await Promise.all([1, 2].map(() => makeProject(store)))
    const ask = async (projectId = '') => {
      const rootId = await addRows(store, projectId, { jobs: 1_500 })
      const { secret } = await makeKey(store, projectId)
      return [rootsUrl(projectId), `${rootsUrl(projectId)}/${rootId}`, statusUrl(projectId, rootId)].map(
        (path) => async () => (await service.get(path, { authorization: secret })).text(),
      )
    }
    const [much, little] = [await ask(theirs), await ask(mine)]
    let left = 0
    const all = Array.from({ length: 30 }, async (_, index) => {
      left++
      await much[index % 3]?.()
      left--
    })
    await sleep(0)
    await Promise.all(little.map((one) => one()))
    expect(left).toBeGreaterThan(15)
    await Promise.all(all)
  })
})

test('unread answers use memory of the share of their client, and only that client waits', async () => {
  // A quarter for one client: room for one unread piece.
  const service = await startAccepting({ AUTH: 'keys', MAX_UNREAD_BYTES: '4000000' })
  const { store } = service
  const ask = async (jobs: number) => {
    const projectId = await makeProject(store)
    await addRows(store, projectId, { jobs })
    const { secret } = await makeKey(store, projectId)
    return { path: rootsUrl(projectId), headers: { authorization: secret } }
  }
  const [greedy, other] = [await ask(10_000), await ask(500)]
  const sockets: Socket[] = []
  for (let times = 0; times < 6; times++) {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write(
      `GET ${greedy.path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${greedy.headers.authorization}\r\n\r\n`,
    )
    sockets.push(socket.pause())
  }
  // Other clients are answered, whatever these do.
  const roots = (await (await service.get(other.path, other.headers)).json()) as { jobs: unknown[] }[]
  expect(roots[0]?.jobs).toHaveLength(500)
  let isAnswered = false
  const own = service.get(greedy.path, greedy.headers).then(async (response) => {
    const [root] = (await response.json()) as { jobs: unknown[] }[]
    isAnswered = true
    return root?.jobs.length
  })
  await service.get(other.path, other.headers).then((response) => response.text())
  expect(isAnswered).toBe(false)
  for (const socket of sockets) socket.destroy()
  expect(await own).toBe(10_000)
})
