import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { RootWatchers } from '../../src/capture/root-watchers.ts'
import { CAPTURE_REASONS, type CaptureReason, type RootStatus } from '../../src/contract/status.ts'
import { FairTurns } from '../../src/shares/fair-turns.ts'
import {
  type Accepting,
  begin,
  bothDatabases,
  countLooks,
  DONE,
  expectNoLooks,
  FAILED,
  finishNext,
  newPage,
  newRequest,
  openBeside,
  readStatus,
  startAccepting,
  statusUrl,
} from '../support/http/requests.ts'
import { INSTANT } from '../support/http/service.ts'
import { usePostgres } from '../support/servers/use-servers.ts'
import { newSeen } from '../support/store/captures.ts'
import {
  addPictures,
  addRows,
  makeKey,
  makePng,
  makeProject,
  submittedJob,
} from '../support/store/results.ts'

const postgres = usePostgres()

async function wait(service: Accepting, rootId: string, seconds: number) {
  const response = await service.get(`${statusUrl(service.projectId, rootId)}?wait=${seconds}`)
  const status = (await response.json()) as RootStatus
  return { code: response.status, state: status.state, status }
}

/** Resolves when a request waits for the root. */
async function untilWaiting(looks: () => number): Promise<void> {
  const before = looks()
  while (looks() === before) await sleep(10)
}

describe.each(bothDatabases(postgres))('the status (%s)', (_, world) => {
  test('of a new request says that everything is queued', async () => {
    const service = await startAccepting(await world())
    const { screenshotParameter } = newRequest()
    const rootId = await service.accept(2, {
      screenshotParameter: { ...screenshotParameter, tags: ['b', 'a', '🦉'] },
    })
    const response = await service.get(statusUrl(service.projectId, rootId))
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toEqual({
      rootId,
      state: 'queued',
      created: INSTANT,
      tags: ['b', 'a', '🦉'],
      counts: { total: 2, queued: 2, running: 0, done: 0, failed: 0 },
      options: { ...screenshotParameter, fullPage: false, tags: ['b', 'a', '🦉'] },
      urls: [0, 1].map((position) => ({
        ...{
          position,
          ...newPage(position),
          loadingTime: 15_000,
          state: 'queued',
          attempts: 0,
          queued: INSTANT,
        },
      })),
    })
  })

  test('follows a page from the queue to its result', async () => {
    const service = await startAccepting(await world())
    const rootId = await service.accept()
    const page = async () => (await readStatus(service, rootId)).urls[0]
    const queued = { position: 0, ...newPage(), loadingTime: 15_000, queued: INSTANT }
    const first = await begin(service.store, rootId, 100)
    expect(await page()).toEqual({ ...queued, state: 'running', attempts: 1, started: 100 })
    await service.store.captures.putBack(first, { now: 150, due: 0, counts: true })
    expect(await page()).toEqual({ ...queued, state: 'queued', attempts: 1 })
    const second = await begin(service.store, rootId, 200)
    await service.store.captures.putBack(second, { now: 250, due: 0, counts: false })
    expect(await page()).toEqual({ ...queued, state: 'queued', attempts: 1 })
    const third = await begin(service.store, rootId, 300)
    expect(await service.store.captures.finish(first, DONE, 350)).toBe(false)
    expect(await page()).toEqual({ ...queued, state: 'running', attempts: 2, started: 300 })
    expect(await service.store.captures.finish(third, DONE, 400)).toBe(true)
    const { seen } = DONE
    const ended = { state: 'done', attempts: 2, started: 300, finished: 400, uuid: third.uuid, seen }
    const done = { ...queued, ...ended }
    expect(await page()).toEqual(done)
    expect(await service.store.captures.finish(third, FAILED, 500)).toBe(false)
    expect(await page()).toEqual(done)
  })

  test('says why a page failed, and shows no result for it', async () => {
    const service = await startAccepting(await world())
    const rootId = await service.accept()
    await service.store.captures.finish(await begin(service.store, rootId, 100), FAILED, 200)
    expect((await readStatus(service, rootId)).urls[0]).toEqual({
      ...{ position: 0, ...newPage(), loadingTime: 15_000, queued: INSTANT, started: 100, finished: 200 },
      ...{ state: 'failed', attempts: 1, reason: 'dns', detail: 'nowhere.example was not found.' },
    })
  })

  test('says that the end of a page is missing', async () => {
    const service = await startAccepting(await world())
    const rootId = await service.accept(2)
    await finishNext(service.store, rootId, { ...DONE, seen: newSeen({ marks: ['cut'] }) })
    await finishNext(service.store, rootId)
    expect((await readStatus(service, rootId)).urls.map((page) => page.cut)).toEqual([true, undefined])
  })

  test('is that of its own root only', async () => {
    const service = await startAccepting(await world())
    const [one, other] = [await service.accept(), await service.accept()]
    await finishNext(service.store, other)
    expect((await readStatus(service, one)).state).toBe('queued')
    expect((await readStatus(service, other)).state).toBe('done')
  })

  test('of an imported root is done, with the imported data', async () => {
    const service = await startAccepting(await world())
    const { rootId } = await addPictures(service, service.projectId, {
      created: 1_000,
      jobs: [submittedJob(await makePng(), { created: 900, name: 'A', url: 'https://example.com/a' })],
    })
    const [job] = await service.store.jobsOf(service.projectId, [rootId])
    expect(await readStatus(service, rootId)).toEqual({
      ...{ rootId, state: 'done', created: 1_000, tags: [] },
      counts: { total: 1, queued: 0, running: 0, done: 1, failed: 0 },
      urls: [
        {
          ...{ position: 0, url: 'https://example.com/a', name: 'A', state: 'done', attempts: 0 },
          ...{ queued: 900, finished: 900, uuid: job?.uuid },
        },
      ],
    })
    const empty = await addRows(service.store, service.projectId, { jobs: 0 })
    expect(await readStatus(service, empty)).toMatchObject({ state: 'done', urls: [], counts: { total: 0 } })
  })

  test('of an unknown root is the usual 404', async () => {
    const service = await startAccepting({ ...(await world()), AUTH: 'keys' })
    const stranger = await makeProject(service.store)
    const foreign = await addRows(service.store, stranger)
    const own = await addRows(service.store, service.projectId)
    const { secret: authorization } = await makeKey(service.store, service.projectId)
    const ask = async (projectId: string, rootId: string, query = '') => {
      const response = await service.get(`${statusUrl(projectId, rootId)}${query}`, { authorization })
      return [response.status, (await response.text()).replace(/"requestId":"[^"]+"/, '')]
    }
    const nothing = await ask(service.projectId, randomUUID())
    expect(nothing[0]).toBe(404)
    for (const [projectId, rootId] of [
      [service.projectId, foreign],
      [service.projectId, 'x'],
      [service.projectId, '%E0%A4%A'],
      [stranger, foreign],
      [randomUUID(), own],
      ['x', own],
    ] as const) {
      expect(await ask(projectId, rootId)).toEqual(nothing)
      expect(await ask(projectId, rootId, '?wait=60')).toEqual(nothing)
    }
    expect((await ask(service.projectId, own))[0]).toBe(200)
    expect((await service.get(statusUrl(service.projectId, own))).status).toBe(401)
  })
})

describe('the status', () => {
  test.each([
    ['queued', 'nothing', []],
    ['running', 'one was begun', ['begun']],
    ['running', 'one was done', [DONE]],
    ['running', 'one failed', [FAILED]],
    ['running', 'the last was begun', [DONE, FAILED, 'begun']],
    ['done', 'all were done', [DONE, DONE, DONE]],
    ['partial', 'one failed and the others were done', [DONE, FAILED, DONE]],
    ['partial', 'one was done and the others failed', [FAILED, FAILED, DONE]],
    ['failed', 'all failed', [FAILED, FAILED, FAILED]],
  ] as const)('of three pages is %s after %s', async (state, _words, steps) => {
    const service = await startAccepting()
    const rootId = await service.accept(3)
    for (const step of steps) {
      const task = await begin(service.store, rootId)
      if (step !== 'begun') await service.store.captures.finish(task, step, 2)
    }
    const status = await readStatus(service, rootId)
    expect(status.state).toBe(state)
    const count = (wanted: string) => status.urls.filter((page) => page.state === wanted).length
    expect(status.counts).toEqual({
      ...{ total: 3, queued: count('queued'), running: count('running') },
      ...{ done: count('done'), failed: count('failed') },
    })
    expect(status.counts.queued).toBe(3 - steps.length)
  })

  test('accepts ids in upper case, and can wait for them', async () => {
    const service = await startAccepting()
    const rootId = await service.accept()
    const looks = countLooks(service)
    const answer = service.get(`${statusUrl(service.projectId.toUpperCase(), rootId.toUpperCase())}?wait=30`)
    await untilWaiting(looks)
    await finishNext(service.store, rootId)
    expect(await (await answer).json()).toMatchObject({ rootId, state: 'done' })
  })

  test('answers HEAD like GET, without the body', async () => {
    const service = await startAccepting()
    const rootId = await service.accept()
    const path = statusUrl(service.projectId, rootId)
    const head = await fetch(service.url + path, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect((await fetch(service.url + statusUrl(service.projectId, 'x'), { method: 'HEAD' })).status).toBe(
      404,
    )
  })

  test('can name every reason', async () => {
    const service = await startAccepting()
    const reasons = Object.keys(CAPTURE_REASONS) as CaptureReason[]
    const rootId = await service.accept(reasons.length)
    for (const reason of reasons)
      await finishNext(service.store, rootId, { reason, detail: `It is ${reason}.` })
    expect((await readStatus(service, rootId)).urls.map(({ reason, detail }) => [reason, detail])).toEqual(
      reasons.map((reason) => [reason, `It is ${reason}.`]),
    )
  })
})

describe.each(bothDatabases(postgres))('a waiting request (%s)', (_, world) => {
  test('is answered at once if the root is finished', async () => {
    const service = await startAccepting(await world())
    const rootId = await service.accept()
    await finishNext(service.store, rootId, FAILED)
    const imported = await addRows(service.store, service.projectId)
    const looks = countLooks(service)
    for (const [root, state] of [
      [rootId, 'failed'],
      [imported, 'done'],
    ] as const) {
      expect(await wait(service, root, 30)).toMatchObject({ code: 200, state })
    }
    // For waiting requests, the store is read every half second.
    expect(looks()).toBe(0)
  })

  test('is answered as soon as the root is finished, and not before, even by another process', async () => {
    const service = await startAccepting(await world())
    const beside = await openBeside(service)
    const looks = countLooks(service)
    const rootId = await service.accept(2)
    let answered = false
    const answer = wait(service, rootId, 30).finally(() => {
      answered = true
    })
    await untilWaiting(looks)
    await finishNext(beside, rootId)
    await untilWaiting(looks)
    await untilWaiting(looks)
    expect(answered).toBe(false)
    await finishNext(beside, rootId, FAILED)
    const before = looks()
    expect(await answer).toMatchObject({ code: 200, state: 'partial', status: { counts: { done: 1 } } })
    // The next read finds it, and one more may have begun since; waiting to the end would take sixty.
    expect(looks() - before).toBeLessThanOrEqual(3)
  })

  test('shares its looks at the store with many others', async () => {
    const service = await startAccepting(await world())
    const roots: string[] = []
    for (let index = 0; index < 5; index++) roots.push(await service.accept())
    const looks = countLooks(service)
    const waiting = Array.from({ length: 200 }, (_, index) => wait(service, roots[index % 5] ?? '', 30))
    const begun = performance.now()
    await untilWaiting(looks)
    for (const rootId of roots) await finishNext(service.store, rootId)
    const answers = await Promise.all(waiting)
    expect(answers.every(({ code, state }) => code === 200 && state === 'done')).toBe(true)
    // One every half second, not one for each request.
    expect(looks()).toBeLessThanOrEqual((performance.now() - begun) / 500 + 1)
    expect(looks()).toBeGreaterThan(0)
  })

  test('is answered at once when the service stops', async () => {
    const service = await startAccepting({ ...(await world()), SHUTDOWN_TIMEOUT: '10m' })
    const rootId = await service.accept()
    const looks = countLooks(service)
    const answers = Array.from({ length: 5 }, () => wait(service, rootId, 30))
    await untilWaiting(looks)
    const before = looks()
    const stopped = service.stop()
    for (const answer of answers) expect(await answer).toMatchObject({ code: 200, state: 'queued' })
    // Waiting to the end would take sixty.
    expect(looks() - before).toBeLessThanOrEqual(3)
    // It does not wait for the allowed ten minutes.
    await stopped
  })
})

describe('a waiting request', () => {
  test('is answered with the current status when its time is over', async () => {
    const service = await startAccepting()
    const rootId = await service.accept(2)
    await finishNext(service.store, rootId)
    const looks = countLooks(service)
    const begun = performance.now()
    expect(await wait(service, rootId, 1)).toMatchObject({ code: 200, state: 'running' })
    expect(performance.now() - begun).toBeGreaterThan(950)
    // Every half second, and one that had begun: reads that do not stop would be more.
    await expectNoLooks(looks)
    expect(looks()).toBeLessThanOrEqual(3)
    const before = looks()
    expect(await wait(service, rootId, 0)).toMatchObject({ code: 200, state: 'running' })
    expect(looks()).toBe(before)
  })

  test('with an invalid time is 400', async () => {
    const service = await startAccepting()
    const path = statusUrl(service.projectId, await service.accept())
    for (const time of ['-1', '61', '1.5', 'x', '', '1&wait=2', '1s', 'true', '99999999999999999999']) {
      const response = await service.get(`${path}?wait=${time}`)
      expect([time, response.status]).toEqual([time, 400])
      expect(await response.json()).toMatchObject({ code: 'bad_request', errors: [{ parameter: 'wait' }] })
    }
  })

  test('whose client leaves stops waiting', async () => {
    const service = await startAccepting()
    const rootId = await service.accept()
    const looks = countLooks(service)
    const path = `${statusUrl(service.projectId, rootId)}?wait=60`
    const sockets = Array.from({ length: 5 }, () => {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      return socket
    })
    await untilWaiting(looks)
    for (const socket of sockets) socket.destroy()
    while (service.logLines.filter((line) => line.includes('"aborted":true')).length < 5) await sleep(10)
    await expectNoLooks(looks)
    expect(service.logLines.join('')).not.toMatch(/"level":(50|60)/)
  })

  // A machine that is frozen for a fifth of the timeout cuts an answer off anyway: then the test repeats it.
  const again = { retry: 4 }

  test.each(['1500ms', '999ms'])('is answered before IDLE_TIMEOUT=%s cuts it off', again, async (idle) => {
    const service = await startAccepting({ IDLE_TIMEOUT: idle })
    const rootId = await service.accept()
    expect(await wait(service, rootId, 30)).toMatchObject({ code: 200, state: 'queued' })
  })

  test('is answered before RESPONSE_TIMEOUT cuts it off', again, async () => {
    const service = await startAccepting({ RESPONSE_TIMEOUT: '901ms' })
    expect(await wait(service, await service.accept(), 30)).toMatchObject({ code: 200, state: 'queued' })
    expect(service.logLines.join('')).not.toContain('not read in time')
  })

  test('whose client leaves before the root is found does not wait', async () => {
    const service = await startAccepting()
    const rootId = await service.accept()
    const looks = countLooks(service)
    const findRoot = service.store.findRoot
    const asked = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    service.store.findRoot = async (...key) => {
      asked.resolve()
      await gone.promise
      return await findRoot(...key)
    }
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    const path = `${statusUrl(service.projectId, rootId)}?wait=60`
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await asked.promise
    socket.destroy()
    await once(socket, 'close')
    while (!service.logLines.some((line) => line.includes('"aborted":true'))) await sleep(10)
    gone.resolve()
    await sleep(800)
    expect(looks()).toBe(0)
  })

  test('whose client leaves before the key is checked does not wait', async () => {
    const service = await startAccepting({ AUTH: 'keys' })
    const { secret } = await makeKey(service.store, service.projectId, 'write')
    const response = await service.post(newRequest(), { headers: { authorization: secret } })
    const { jobId } = (await response.json()) as { jobId: string }
    const looks = countLooks(service)
    const findKey = service.store.findKey
    const asked = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    service.store.findKey = async (hash) => {
      asked.resolve()
      await gone.promise
      return await findKey(hash)
    }
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    const path = `${statusUrl(service.projectId, jobId)}?wait=60`
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${secret}\r\n\r\n`)
    await asked.promise
    socket.destroy()
    await once(socket, 'close')
    while (!service.logLines.some((line) => line.includes('"aborted":true'))) await sleep(10)
    gone.resolve()
    await sleep(800)
    expect(looks()).toBe(0)
  })

  test('is 503 if the database fails', async () => {
    const service = await startAccepting()
    const rootId = await service.accept()
    const looks = countLooks(service)
    const answer = service.get(`${statusUrl(service.projectId, rootId)}?wait=1`)
    await untilWaiting(looks)
    await service.store.close()
    expect((await answer).status).toBe(503)
  })

  test('is woken at once by changes of its own process, and by no others', async () => {
    const { store, projectId, accept } = await startAccepting()
    const root = { projectId, rootId: await accept() }
    const other = { projectId, rootId: await accept() }
    const versions = new Map<string, number>()
    const findVersions = async (roots: readonly { rootId: string }[]) =>
      roots.map(({ rootId }) => versions.get(rootId) ?? 1)
    const watchers = new RootWatchers({ ...store.captures, findVersions }, new FairTurns(1), {
      explainTo: new Set(),
      whyWaiting: async () => undefined,
    })
    const knows = { client: 'one', since: 1 }
    const never = new AbortController()
    let woken = 0
    const waiting = [root, root, other].map((each) =>
      watchers.newer(each, knows, never.signal).then(() => {
        woken++
      }),
    )
    // Longer than the interval between two reads: they find nothing newer.
    await sleep(700)
    expect(woken).toBe(0)
    versions.set(root.rootId, 2)
    watchers.tell(root)
    await Promise.all(waiting.slice(0, 2))
    expect(woken).toBe(2)
    never.abort()
    await Promise.all(waiting)
    await watchers.newer(root, knows, never.signal)
  })
})
