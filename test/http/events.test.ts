import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { PageStatus, RootStatus } from '../../src/contract/status.ts'
import type { CaptureTask } from '../../src/store/captures.ts'
import { EventParser, openEvents } from '../support/http/event-stream.ts'
import {
  type Accepting,
  begin,
  bothDatabases,
  countLooks,
  DONE,
  eventsUrl,
  expectNoLooks,
  FAILED,
  finishNext,
  newPage,
  openBeside,
  readStatus,
  startAccepting,
} from '../support/http/requests.ts'
import { random } from '../support/runner/random.ts'
import { usePostgres } from '../support/servers/use-servers.ts'
import { addRows, makeKey, makeProject } from '../support/store/results.ts'

const postgres = usePostgres()

async function watch(service: Accepting, rootId: string, lastEventId?: string | number) {
  const stream = await openEvents(
    service.url + eventsUrl(service.projectId, rootId),
    lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) },
  )
  onTestFinished(() => stream.cut())
  return stream
}

/** A client that only sends requests. */
async function connectRaw(service: Accepting, rootId: string): Promise<Socket> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  await once(socket, 'connect')
  onTestFinished(() => void socket.destroy())
  socket.write(`GET ${eventsUrl(service.projectId, rootId)} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  return socket
}

/** The state of a client that was told only changes. */
class Known {
  status: RootStatus | undefined
  readonly pages = new Map<number, PageStatus>()

  hear(news: RootStatus): void {
    this.status = news
    for (const page of news.urls) this.pages.set(page.position, page)
  }

  get all() {
    const urls = [...this.pages.values()].sort((one, other) => one.position - other.position)
    return { ...this.status, urls }
  }
}

async function untilAborted(service: Accepting, count = 1): Promise<void> {
  while (service.logLines.filter((line) => line.includes('"aborted":true')).length < count) await sleep(10)
}

describe.each(bothDatabases(postgres))('events (%s)', (_, world) => {
  test('report everything first, then each change, and end when the root is finished', async () => {
    const service = await startAccepting(await world())
    const beside = await openBeside(service)
    const rootId = await service.accept(3)
    const { response, next, parser } = await watch(service, rootId)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-request-id')).not.toBeNull()
    const known = new Known()
    const ids: number[] = []
    const hear = async () => {
      const event = await next()
      if (!event) throw new Error('the events ended')
      ids.push(event.id)
      known.hear(event.status)
      expect(known.all).toEqual(await readStatus(service, rootId))
      return [event.status.state, event.status.urls.map(({ position, state }) => [position, state])]
    }
    expect(await hear()).toEqual(['queued', [0, 1, 2].map((position) => [position, 'queued'])])
    expect(parser.retry).toBe(1_000)
    const task = await begin(beside, rootId)
    expect(await hear()).toEqual(['running', [[0, 'running']]])
    await service.store.captures.finish(task, DONE, 2)
    expect(await hear()).toEqual(['running', [[0, 'done']]])
    const second = await begin(service.store, rootId)
    expect(await hear()).toEqual(['running', [[1, 'running']]])
    await service.store.captures.finish(second, FAILED, 2)
    expect(await hear()).toEqual(['running', [[1, 'failed']]])
    const third = await begin(beside, rootId)
    expect(await hear()).toEqual(['running', [[2, 'running']]])
    await beside.captures.finish(third, DONE, 2)
    expect(await hear()).toEqual(['partial', [[2, 'done']]])
    expect(await next()).toBeUndefined()
    expect(ids).toEqual([...ids].sort((one, other) => one - other))
    expect(new Set(ids).size).toBe(7)
  })

  test('of a finished root are a single one with everything', async () => {
    const service = await startAccepting(await world())
    const rootId = await service.accept(2)
    await finishNext(service.store, rootId)
    await finishNext(service.store, rootId, FAILED)
    const imported = await addRows(service.store, service.projectId, { jobs: 3 })
    for (const root of [rootId, imported]) {
      const [event, ...more] = await (await watch(service, root)).rest()
      expect(event?.status).toEqual(await readStatus(service, root))
      expect(more).toEqual([])
      const again = await watch(service, root, event?.id)
      expect([again.response.status, await again.response.text()]).toEqual([204, ''])
      expect(again.response.headers.get('cache-control')).toBe('no-store')
    }
  })

  test('continue where a client was cut off: nothing is lost, and nothing is sent twice', async () => {
    const service = await startAccepting(await world())
    const step = fc.constantFrom('begin', 'begin', 'done', 'done', 'failed', 'back')
    const round = fc.record({ steps: fc.array(step, { maxLength: 4 }), bytes: fc.nat(3_000) })
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(round, { maxLength: 6 }),
        async (pages, rounds) => {
          const rootId = await service.accept(pages)
          const running: CaptureTask[] = []
          const known = new Known()
          const ids: number[] = []
          let lastEventId = ''
          // Positions whose current state the client does not know yet.
          let news = new Set(Array.from({ length: pages }, (_, position) => position))

          const act = async (what: string) => {
            const { captures } = service.store
            const task =
              what === 'begin' ? await captures.takeNext({ now: 1, leaseMs: 1e12, rootId }) : running.shift()
            if (!task) return
            news.add(task.position)
            if (what === 'begin') running.push(task)
            if (what === 'back') await captures.putBack(task, { now: 1, due: 0, counts: true })
            if (what === 'done' || what === 'failed')
              await captures.finish(task, what === 'done' ? DONE : FAILED, 2)
          }
          const listen = async (bytes: number) => {
            const stream = await watch(service, rootId, lastEventId || undefined)
            await stream.next()
            stream.cut()
            const client = new EventParser()
            client.lastEventId = lastEventId
            client.feed(stream.parser.text.slice(0, bytes))
            lastEventId = client.lastEventId
            for (const { id, data } of client.events) {
              const status = JSON.parse(data) as RootStatus
              ids.push(Number(id))
              known.hear(status)
              expect(status.urls.map(({ position }) => position)).toEqual([...news].sort())
              news = new Set()
            }
          }

          for (const { steps, bytes } of rounds) {
            for (const what of steps) await act(what)
            if (news.size > 0) await listen(bytes)
          }
          for (let left = 0; left < 2 * pages; left++) for (const what of ['begin', 'done']) await act(what)
          if (news.size > 0) await listen(Number.POSITIVE_INFINITY)
          expect(known.all).toEqual(await readStatus(service, rootId))
          expect(known.all.counts?.queued).toBe(0)
          expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other))
          expect((await watch(service, rootId, lastEventId)).response.status).toBe(204)
        },
      ),
      { numRuns: 12 },
    )
  })

  test('reach everyone who watches, with one look at the store for all', async () => {
    const service = await startAccepting(await world())
    const rootId = await service.accept()
    const looks = countLooks(service)
    const begun = performance.now()
    const streams = await Promise.all(Array.from({ length: 50 }, () => watch(service, rootId)))
    for (const { next } of streams) expect((await next())?.status.state).toBe('queued')
    await finishNext(service.store, rootId)
    for (const { rest } of streams) expect((await rest()).at(-1)?.status.state).toBe('done')
    expect(looks()).toBeLessThanOrEqual((performance.now() - begun) / 500 + 1)
  })

  test('of an unknown root are the usual 404, not a stream', async () => {
    const service = await startAccepting({ ...(await world()), AUTH: 'keys' })
    const stranger = await makeProject(service.store)
    const foreign = await addRows(service.store, stranger)
    const own = await addRows(service.store, service.projectId)
    const { secret: authorization } = await makeKey(service.store, service.projectId)
    const ask = async (projectId: string, rootId: string) => {
      const { response } = await openEvents(service.url + eventsUrl(projectId, rootId), { authorization })
      return response
    }
    for (const [projectId, rootId] of [
      [service.projectId, randomUUID()],
      [service.projectId, foreign],
      [service.projectId, 'x'],
      [stranger, foreign],
      [randomUUID(), own],
      ['x', own],
    ] as const) {
      const response = await ask(projectId, rootId)
      expect(response.status).toBe(404)
      expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
    }
    expect((await ask(service.projectId, own)).status).toBe(200)
    expect((await service.get(eventsUrl(service.projectId, own))).status).toBe(401)
  })

  test('end at once and cleanly when the service stops', async () => {
    // Longer than this test may take.
    const never = { SHUTDOWN_TIMEOUT: '10m', RESPONSE_TIMEOUT: '1h' }
    const service = await startAccepting({ ...(await world()), ...never })
    const rootId = await service.accept()
    const streams = await Promise.all(Array.from({ length: 5 }, () => watch(service, rootId)))
    for (const { next } of streams) await next()
    const stopped = service.stop()
    for (const { next } of streams) expect(await next()).toBeUndefined()
    await stopped
    expect(service.logLines.join('')).not.toMatch(/"level":(50|60)/)
  })
})

describe('Last-Event-ID', () => {
  test('brings only later changes', async () => {
    const service = await startAccepting()
    const rootId = await service.accept(3)
    const first = await (await watch(service, rootId)).next()
    await finishNext(service.store, rootId)
    const second = await (await watch(service, rootId, first?.id)).next()
    expect(second?.status.urls).toHaveLength(1)
    expect(second?.status.counts).toEqual({ total: 3, queued: 2, running: 0, done: 1, failed: 0 })
    await finishNext(service.store, rootId)
    await finishNext(service.store, rootId)
    const [third, ...more] = await (await watch(service, rootId, second?.id)).rest()
    expect(third?.status.urls.map(({ position }) => position)).toEqual([1, 2])
    expect(more).toEqual([])
  })

  test('of the newest event brings nothing until something changes', async () => {
    const service = await startAccepting()
    const rootId = await service.accept(2)
    const first = await (await watch(service, rootId)).next()
    const { next } = await watch(service, rootId, first?.id)
    const coming = next()
    expect(await Promise.race([coming, sleep(700, 'nothing')])).toBe('nothing')
    await finishNext(service.store, rootId)
    expect((await coming)?.status.urls.map(({ position }) => position)).toEqual([0])
  })

  test('of another service brings everything', async () => {
    const service = await startAccepting()
    const rootId = await service.accept(2)
    const ids = ['', 'x', '-1', '1.5', '0x1', '1e3', '99', '999999999999999', '9'.repeat(40), randomUUID()]
    const pages = async (id: string) => (await (await watch(service, rootId, id)).next())?.status.urls.length
    await finishNext(service.store, rootId)
    for (const id of ids) expect([id, await pages(id)]).toEqual([id, 2])
    await finishNext(service.store, rootId)
    for (const id of ids) expect([id, await pages(id)]).toEqual([id, 2])
  })
})

describe('an event stream', () => {
  test('is kept alive by comments, however short IDLE_TIMEOUT is', async () => {
    const service = await startAccepting({ IDLE_TIMEOUT: '999ms' })
    const rootId = await service.accept()
    const { next, parser } = await watch(service, rootId)
    await next()
    const coming = next()
    await expect.poll(() => parser.comments).toBeGreaterThan(3)
    await finishNext(service.store, rootId)
    expect((await coming)?.status.state).toBe('done')
    expect(await next()).toBeUndefined()
  })

  test('ends before RESPONSE_TIMEOUT cuts it off, and continues with the next request', async () => {
    const service = await startAccepting({ RESPONSE_TIMEOUT: '4001ms' })
    const rootId = await service.accept()
    const [event, ...more] = await (await watch(service, rootId)).rest()
    expect(more).toEqual([])
    const { next } = await watch(service, rootId, event?.id)
    await finishNext(service.store, rootId)
    expect((await next())?.status.state).toBe('done')
    expect(service.logLines.join('')).not.toContain('not read in time')
  })

  test('carries any name', async () => {
    const service = await startAccepting()
    const name = 'a\nb\r\nc\rdata: x\n\nid: 7\u2028\u2029\ufeff🦉'
    const rootId = await service.accept(1, { urls: [{ ...newPage(), name }] })
    const { next, parser } = await watch(service, rootId)
    expect((await next())?.status.urls[0]?.name).toBe(name)
    expect(parser.events).toHaveLength(1)
  })

  test('that loses its client is noticed, and nothing waits for it', async () => {
    const service = await startAccepting()
    const rootId = await service.accept()
    const looks = countLooks(service)
    const streams = await Promise.all(Array.from({ length: 5 }, () => watch(service, rootId)))
    for (const { next } of streams) await next()
    while (looks() === 0) await sleep(10)
    for (const { cut } of streams) cut()
    await untilAborted(service, 5)
    await expectNoLooks(looks)
    expect(service.logLines.join('')).not.toMatch(/"level":(50|60)/)
  })

  test('whose client leaves before the root is found never begins', async () => {
    const service = await startAccepting({ IDLE_TIMEOUT: '400ms' })
    const rootId = await service.accept()
    const looks = countLooks(service)
    const findRoot = service.store.findRoot
    const asked = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    let reads = 0
    service.store.findRoot = async (...key) => {
      reads++
      asked.resolve()
      await gone.promise
      return await findRoot(...key)
    }
    const socket = await connectRaw(service, rootId)
    await asked.promise
    socket.destroy()
    await untilAborted(service)
    gone.resolve()
    await sleep(1_200)
    expect([reads, looks()]).toEqual([1, 0])
  })

  test('whose client does not read delays nobody, and is closed after IDLE_TIMEOUT', async () => {
    const service = await startAccepting({
      // Longer than a busy machine may delay a client that reads.
      ...{ IDLE_TIMEOUT: '4s', MAX_URLS_PER_REQUEST: '1000', MAX_BODY_BYTES: '20000000' },
    })
    // More bytes than the system buffers for a client that does not read.
    const url = `https://example.com/${'x'.repeat(8_000)}`
    const urls = Array.from({ length: 1_000 }, (_, index) => ({ url, name: String(index) }))
    const rootId = await service.accept(0, { urls })
    const looks = countLooks(service)
    const sockets: Socket[] = []
    for (let index = 0; index < 3; index++) sockets.push((await connectRaw(service, rootId)).pause())
    const reading = await watch(service, rootId)
    expect((await reading.next())?.status.urls).toHaveLength(1_000)
    await finishNext(service.store, rootId)
    expect((await reading.next())?.status.urls).toHaveLength(1)
    await untilAborted(service, 3)
    reading.cut()
    await untilAborted(service, 4)
    for (const socket of sockets) await once(socket.resume(), 'close').catch(() => {})
    await expectNoLooks(looks)
  })

  test('breaks off if the store fails, and the log says so', async () => {
    const service = await startAccepting({ IDLE_TIMEOUT: '400ms' })
    const { next, response } = await watch(service, await service.accept())
    await next()
    await service.store.close()
    await expect(next()).rejects.toThrow()
    const line = service.logLines.find((each) => each.includes('the events broke off')) ?? ''
    expect(JSON.parse(line)).toMatchObject({ level: 50, reqId: response.headers.get('x-request-id') })
  })

  test('counts as one request', async () => {
    const service = await startAccepting({ RATE_LIMIT: '3/1m' })
    const rootId = await service.accept()
    await finishNext(service.store, rootId)
    const { response, rest } = await watch(service, rootId)
    expect(response.headers.get('ratelimit')).toBe('"default";r=1;t=60')
    await rest()
    expect((await watch(service, rootId)).response.status).toBe(200)
    expect((await watch(service, rootId)).response.status).toBe(429)
  })
})

describe('an event stream that is cut at any moment', () => {
  test('ends with the same state as the status', async () => {
    const service = await startAccepting()
    const rootId = await service.accept(12)
    let over = false
    const working = (async () => {
      for (let index = 0; index < 12; index++) {
        const task = await begin(service.store, rootId)
        await sleep(random() * 150)
        await service.store.captures.finish(task, index % 3 ? DONE : FAILED, 2)
      }
      over = true
    })()
    const known = new Known()
    const ids: number[] = []
    let lastEventId: string | undefined
    for (;;) {
      const stream = await watch(service, rootId, lastEventId)
      if (stream.response.status === 204) break
      const cut = setTimeout(() => stream.cut(), over ? 10_000 : random() * 900)
      const events = stream.rest().catch(() => {})
      await events
      clearTimeout(cut)
      for (const { id, data } of stream.parser.events) {
        ids.push(Number(id))
        known.hear(JSON.parse(data))
      }
      lastEventId = stream.parser.lastEventId || lastEventId
    }
    await working
    expect(known.all).toEqual(await readStatus(service, rootId))
    expect(known.all.state).toBe('partial')
    expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other))
  })
})

describe('the event parser of these tests', () => {
  test('reads the examples of the standard, wherever they are cut', () => {
    const text = 'event: add\r\ndata: 73857293\n\n: note\ndata:a\ndata: b\rid: 4\n\nretry: 5\n\ndata: lost'
    for (let size = 1; size < text.length; size++) {
      const parser = new EventParser()
      for (let at = 0; at < text.length; at += size) parser.feed(text.slice(at, at + size))
      expect(parser.events).toEqual([
        { type: 'add', id: '', data: '73857293' },
        { type: 'message', id: '4', data: 'a\nb' },
      ])
      expect([parser.comments, parser.retry, parser.lastEventId]).toEqual([1, 5, '4'])
    }
  })
})
