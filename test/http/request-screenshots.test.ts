import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Problem } from '../../src/contract/problem.ts'
import type { RootResult } from '../../src/contract/results.ts'
import { BUSY_TIMEOUT_MS } from '../../src/store/sqlite/while-busy.ts'
import { anyRequest, validRequest } from '../support/request-values.ts'
import {
  type Accepting,
  begin,
  bothDatabases,
  DONE,
  eventsUrl,
  finishNext,
  leadsInto,
  newPage,
  newRequest,
  type PostOptions,
  readStatus,
  startAccepting,
  statusUrl,
} from '../support/requests.ts'
import { addRows, makeKey, makeProject, rootsUrl } from '../support/results.ts'
import { rounds } from '../support/rounds.ts'
import { usePostgres } from '../support/use-servers.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const postgres = usePostgres()

async function list(service: Accepting, projectId = service.projectId): Promise<RootResult[]> {
  return (await (await service.get(rootsUrl(projectId))).json()) as RootResult[]
}

async function jobIdOf(response: Response): Promise<string> {
  return ((await response.json()) as { jobId: string }).jobId
}

/** All that may differ between two answers that say the same. */
async function withoutRequestId(response: Response) {
  return [response.status, (await response.text()).replace(/"requestId":"[^"]+"/, '')]
}

async function refusal(response: Response) {
  const { code, errors } = (await response.json()) as Problem
  return [response.status, code, ...(errors ?? []).map(({ pointer, parameter }) => pointer ?? parameter)]
}

/** Sends text as it stands; `\n` becomes a line break of HTTP. */
async function open(service: Accepting, head: string): Promise<Socket> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.on('error', () => {})
  socket.write(head.replaceAll('\n', '\r\n'))
  return socket
}

async function readAll(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  if (!socket.closed) await once(socket, 'close')
  return text
}

const postHead = (service: Accepting, more: string) =>
  `POST /api/projects/${service.projectId} HTTP/1.1\nHost: localhost\nContent-Type: application/json\n${more}\n\n`

describe.each(bothDatabases(postgres))('a request, with %s,', (_, world) => {
  test('for more pages than may wait is 429, says how many do, and leaves nothing', async () => {
    const service = await startAccepting({ ...(await world()), MAX_PAGES_WAITING: '3' })
    const headers = { 'idempotency-key': 'first' }
    const jobId = await jobIdOf(await service.post(newRequest(2), { headers }))
    const refused = await service.post(newRequest(2))
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    expect(await refused.json()).toMatchObject({
      code: 'rate_limited',
      detail: expect.stringMatching(/^2 pages .* 2 more .* 3 \(MAX_PAGES_WAITING\)/),
    })
    expect((await list(service)).map(({ rootId }) => rootId)).toEqual([jobId])
    const again = await service.post(newRequest(2), { headers })
    expect([again.status, await jobIdOf(again)]).toEqual([201, jobId])
    await finishNext(service.store, jobId)
    expect((await service.post(newRequest(2))).status).toBe(201)
  })

  test('is answered with the root, and where it is', async () => {
    const service = await startAccepting(await world())
    const response = await service.post(newRequest())
    const text = await response.text()
    const { jobId } = JSON.parse(text)
    expect(response.status).toBe(201)
    expect(jobId).toMatch(UUID)
    expect(text).toBe(`{"jobId":"${jobId}"}`)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('location')).toBe(`${service.url}${rootsUrl(service.projectId)}/${jobId}`)
  })

  test('is a root at once, without jobs, and the first of the list', async () => {
    const service = await startAccepting(await world())
    await addRows(service.store, service.projectId)
    await service.accept()
    service.now += 1
    const response = await service.post(newRequest(2))
    const root = { rootId: await jobIdOf(response), meta: { created: service.now }, jobs: [] }
    expect(await (await fetch(response.headers.get('location') ?? '')).json()).toEqual(root)
    const roots = await list(service)
    expect(roots[0]).toEqual(root)
    expect(roots).toHaveLength(3)
  })

  test('changes the ETag of the list, and each result that of its root as well', async () => {
    const service = await startAccepting(await world())
    const etags: (string | null)[][] = []
    const look = async (rootId?: string) => {
      const paths = [
        rootsUrl(service.projectId),
        ...(rootId ? [`${rootsUrl(service.projectId)}/${rootId}`] : []),
      ]
      const found = []
      for (const path of paths) found.push((await service.get(path)).headers.get('etag'))
      etags.push(found)
    }
    await look()
    const rootId = await service.accept(2)
    await look(rootId)
    await finishNext(service.store, rootId)
    await look(rootId)
    await finishNext(service.store, rootId)
    await look(rootId)
    const seen = etags.flat()
    expect(seen).toHaveLength(7)
    expect(new Set(seen).size).toBe(7)
    const stale = await service.get(rootsUrl(service.projectId), { 'if-none-match': etags[2]?.[0] ?? '' })
    expect(stale.status).toBe(200)
    const fresh = await service.get(rootsUrl(service.projectId), { 'if-none-match': etags[3]?.[0] ?? '' })
    expect(fresh.status).toBe(304)
  })

  test('becomes results in its own order, whichever page is captured first', async () => {
    const service = await startAccepting(await world())
    const rootId = await service.accept(2)
    const first = await begin(service.store, rootId)
    await finishNext(service.store, rootId)
    const at = async () => (await list(service))[0]?.jobs.map(({ url }) => url)
    expect(await at()).toEqual([{ ...newPage(1), loadingTime: 15_000 }])
    await service.store.captures.finish(first, { ...DONE, width: 300, height: 9_000 }, 5)
    expect(await at()).toEqual([0, 1].map((index) => ({ ...newPage(index), loadingTime: 15_000 })))
    expect((await list(service))[0]?.jobs[0]).toMatchObject({
      ...{ rootId, projectId: service.projectId, uuid: first.uuid, meta: { created: 5 } },
      screenshotParameter: { width: 300, height: 9_000, basepath: '/tmp', name: first.uuid },
    })
  })

  test('may spell the project in upper case: it is the same', async () => {
    const service = await startAccepting(await world())
    const response = await service.post(newRequest(), { projectId: service.projectId.toUpperCase() })
    const rootId = await jobIdOf(response)
    expect(response.headers.get('location')).toBe(`${service.url}${rootsUrl(service.projectId)}/${rootId}`)
    expect((await list(service)).map((root) => root.rootId)).toEqual([rootId])
  })

  test('that leaves things out gets 15 s for each page, and no full page', async () => {
    const service = await startAccepting(await world())
    expect(await begin(service.store, await service.accept())).toMatchObject({
      ...{ ...newPage(), loadingTime: 15_000, options: { width: 1200, height: 720, fullPage: false } },
    })
  })

  test('of an unknown, malformed or foreign project gets the one 404 there is', async () => {
    const service = await startAccepting({ ...(await world()), AUTH: 'keys' })
    const { secret: authorization } = await makeKey(service.store, service.projectId, 'write')
    const headers = { authorization }
    const stranger = await makeProject(service.store)
    const nothing = await withoutRequestId(
      await service.get(`${rootsUrl(service.projectId)}/${randomUUID()}`, headers),
    )
    expect(nothing[0]).toBe(404)
    const ask = async (projectId: string, body: unknown = newRequest()) =>
      await withoutRequestId(await service.post(body, { projectId, headers }))
    for (const projectId of [randomUUID(), stranger, 'x', '%00', `${service.projectId}x`, '%E0%A4%A']) {
      expect([projectId, await ask(projectId)]).toEqual([projectId, nothing])
      expect([projectId, await ask(projectId, 'nonsense')]).toEqual([projectId, nothing])
    }
    expect(await service.store.pageRoots(stranger, { limit: 1 })).toEqual([])
    expect((await service.post(newRequest(), { headers })).status).toBe(201)
  })

  test('of an unknown or malformed project gets that 404 also where no key is asked', async () => {
    const service = await startAccepting(await world())
    const nothing = await withoutRequestId(await service.get(rootsUrl(randomUUID())))
    expect(nothing[0]).toBe(404)
    for (const projectId of [randomUUID(), randomUUID().toUpperCase(), 'x']) {
      expect(await withoutRequestId(await service.post(newRequest(), { projectId }))).toEqual(nothing)
    }
    // What is wrong with a request is the same everywhere, and tells nothing of what exists.
    const refused = await withoutRequestId(await service.post({}))
    expect(refused[0]).toBe(400)
    expect(await withoutRequestId(await service.post({}, { projectId: randomUUID() }))).toEqual(refused)
  })

  test('that is refused leaves nothing behind', async () => {
    const service = await startAccepting({ ...(await world()), MAX_BODY_BYTES: '2000' })
    const etag = (await service.get(rootsUrl(service.projectId))).headers.get('etag')
    const key = { 'idempotency-key': 'k' }
    const refused: [unknown, PostOptions][] = [
      [{ ...newRequest(2), urls: [newPage(), { ...newPage(), url: 'x' }] }, { headers: key }],
      [{ ...newRequest(), style: 1 }, { headers: key }],
      [newRequest(), { headers: { 'idempotency-key': 'a b' } }],
      [newRequest(), { headers: { ...key, 'content-type': 'text/plain' } }],
      [newRequest(), { headers: key, projectId: randomUUID() }],
      [{ ...newRequest(), x: 'x'.repeat(2_000) }, { headers: key }],
      ['', { headers: key, raw: '{' }],
    ]
    const statuses = []
    for (const [body, more] of refused) statuses.push((await service.post(body, more)).status)
    expect(statuses).toEqual([400, 400, 400, 415, 404, 413, 400])
    expect(await list(service)).toEqual([])
    expect((await service.get(rootsUrl(service.projectId))).headers.get('etag')).toBe(etag)
    // The key is not used up, either.
    expect((await service.post(newRequest(), { headers: key })).status).toBe(201)
  })

  test('is stored and echoed as it was sent, whatever it holds', async () => {
    const service = await startAccepting(await world())
    const limits = { urls: 3, loadingMs: 100_000, viewportWidth: 4_096, viewportHeight: 16_384 }
    await fc.assert(
      fc.asyncProperty(validRequest(limits), async (body) => {
        const response = await service.post(body)
        expect(response.status).toBe(201)
        const rootId = await jobIdOf(response)
        const status = await readStatus(service, rootId)
        expect(status.tags).toEqual(body.screenshotParameter.tags ?? [])
        expect(status.urls.map(({ url, name }) => ({ url, name }))).toEqual(
          body.urls.map(({ url, name }) => ({ url, name })),
        )
        const { width, height, fullPage = false } = body.screenshotParameter
        for (const { loadingTime = 15_000, ...page } of body.urls) {
          const task = await begin(service.store, rootId)
          const failOn = body.failOn ?? undefined
          expect(task).toMatchObject({ ...page, loadingTime, options: { width, height, fullPage } })
          expect(task.options.failOn).toBe(failOn)
          await service.store.captures.finish(task, { ...DONE, width, height }, 2)
        }
        const root = (await (
          await service.get(`${rootsUrl(service.projectId)}/${rootId}`)
        ).json()) as RootResult
        expect(root.jobs.map(({ url }) => url)).toEqual(
          body.urls.map(({ loadingTime = 15_000, url, name }) => ({ url, name, loadingTime })),
        )
      }),
      { numRuns: rounds(20) },
    )
  })

  test('may hold the longest address and the most colourful name', async () => {
    const service = await startAccepting({ ...(await world()), MAX_URLS_PER_REQUEST: '1000' })
    const url = `https://example.com/${'ü'.repeat(8_192 - 20)}`
    const name = '👩‍🚀"\\\u2028\u0001'.repeat(50)
    const rootId = await service.accept(1, { urls: [{ url, name }] })
    expect((await readStatus(service, rootId)).urls[0]).toMatchObject({ url, name })
    const many = await service.accept(1_000)
    const { urls, counts } = await readStatus(service, many)
    expect(counts).toEqual({ total: 1_000, queued: 1_000, running: 0, done: 0, failed: 0 })
    expect(urls.map(({ position }) => position)).toEqual(Array.from({ length: 1_000 }, (_, index) => index))
    expect(urls.at(-1)).toMatchObject(newPage(999))
  })
})

describe.each(bothDatabases(postgres))('an Idempotency-Key, with %s,', (_, world) => {
  const withKey = (key: string, more: PostOptions = {}) => ({ ...more, headers: { 'idempotency-key': key } })

  test('gives a repeat the answer of the first, and makes no second root', async () => {
    const service = await startAccepting(await world())
    const ask = async () => {
      const response = await service.post(newRequest(2), withKey('k'))
      return [response.status, response.headers.get('location'), await response.text()]
    }
    const first = await ask()
    expect(first[0]).toBe(201)
    const etag = (await service.get(rootsUrl(service.projectId))).headers.get('etag')
    service.now += 60_000
    expect(await ask()).toEqual(first)
    expect((await service.get(rootsUrl(service.projectId))).headers.get('etag')).toBe(etag)
    const [root] = await list(service)
    await finishNext(service.store, root?.rootId ?? '')
    await finishNext(service.store, root?.rootId ?? '')
    expect(await ask()).toEqual(first)
    expect(await list(service)).toHaveLength(1)
    expect(await readStatus(service, root?.rootId ?? '')).toMatchObject({
      state: 'done',
      counts: { total: 2 },
    })
  })

  test('sees what a request says, not how it says it', async () => {
    const service = await startAccepting(await world())
    const rootId = await jobIdOf(await service.post(newRequest(), withKey('k')))
    const { url, name } = newPage()
    const same = {
      failOn: null,
      urls: [{ loadingTime: 15_000, name, url }],
      screenshotParameter: { tags: [], fullPage: false, height: 720, width: 1200 },
    }
    const raw = JSON.stringify(same, null, 2)
    expect(await jobIdOf(await service.post(same, withKey('k', { raw })))).toBe(rootId)
    const upper = service.projectId.toUpperCase()
    expect(await jobIdOf(await service.post(same, withKey('k', { projectId: upper })))).toBe(rootId)
    expect(await list(service)).toHaveLength(1)
  })

  test('that came with anything else is 409, and nothing is made', async () => {
    const service = await startAccepting(await world())
    await service.post(newRequest(), withKey('k'))
    const { screenshotParameter, urls } = newRequest()
    for (const other of [
      newRequest(2),
      { urls, screenshotParameter: { ...screenshotParameter, width: 1201 } },
      { urls, screenshotParameter: { ...screenshotParameter, fullPage: true } },
      { urls, screenshotParameter: { ...screenshotParameter, tags: ['a'] } },
      { screenshotParameter, urls: [{ ...newPage(), name: 'x' }] },
      { screenshotParameter, urls: [{ ...newPage(), loadingTime: 14_999 }] },
      { ...newRequest(), failOn: 'status' },
    ]) {
      expect(await refusal(await service.post(other, withKey('k')))).toEqual([409, 'conflict'])
    }
    expect(await list(service)).toHaveLength(1)
    expect((await service.post(newRequest(), withKey('k'))).status).toBe(201)
  })

  test('of a request that came before a status could be a failure still stands for it', async () => {
    const service = await startAccepting(await world())
    const rootId = await jobIdOf(await service.post(newRequest()))
    const head = await service.store.findRoot(service.projectId, rootId)
    const { url, name } = newPage()
    const said = JSON.stringify([1200, 720, false, [], [[url, name, 15_000]]])
    expect(head?.digest).toBe(createHash('sha256').update(said).digest('hex'))
  })

  test('belongs to its project', async () => {
    const service = await startAccepting(await world())
    const projectId = await makeProject(service.store)
    const first = await jobIdOf(await service.post(newRequest(), withKey('k')))
    const second = await jobIdOf(await service.post(newRequest(2), withKey('k', { projectId })))
    expect(second).not.toBe(first)
    expect((await list(service, projectId)).map(({ rootId }) => rootId)).toEqual([second])
  })

  test('makes one root of twenty requests at once, at two services', async () => {
    const env = await world()
    const service = await startAccepting(env)
    const other = await startAccepting({ ...env, DATA_DIR: service.dataDir })
    const { projectId } = service
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? service : other).post(newRequest(3), withKey('k', { projectId })),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
    expect(new Set(await Promise.all(answers.map(jobIdOf))).size).toBe(1)
    expect(await list(service)).toHaveLength(1)
  })

  test('lets one of ten different requests at once win, and the others conflict', async () => {
    const service = await startAccepting(await world())
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => service.post(newRequest(index + 1), withKey('k'))),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
    expect(await list(service)).toHaveLength(1)
  })
})

describe('an empty PostgreSQL database', () => {
  test('lets all of four services accept that began on it at once', async () => {
    const [, , newWorld] = bothDatabases(postgres)[1] as ReturnType<typeof bothDatabases>[number]
    const env = await newWorld()
    const services = await Promise.all(Array.from({ length: 4 }, () => startAccepting(env)))
    const statuses = services.map(async (service) => (await service.post(newRequest())).status)
    expect(await Promise.all(statuses)).toEqual([201, 201, 201, 201])
  })
})

describe('an Idempotency-Key', () => {
  const visible = String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 0x21 + index))

  test.each([
    ['every visible character', visible],
    ['255 of them', 'x'.repeat(255)],
    ['a quoted text', '"quoted"'],
  ])('may be %s', async (_, key) => {
    const service = await startAccepting()
    const ids = []
    for (let index = 0; index < 2; index++) {
      ids.push(await jobIdOf(await service.post(newRequest(), { headers: { 'idempotency-key': key } })))
    }
    expect(ids[0]).toMatch(UUID)
    expect(ids[1]).toBe(ids[0])
  })

  test.each([
    ['empty', ''],
    ['256 characters', 'x'.repeat(256)],
    ['two words', 'a b'],
    ['torn by a tab', 'a\tb'],
    ['beyond ASCII', 'ü'],
  ])('may not be %s', async (_, key) => {
    const service = await startAccepting()
    const response = await service.post(newRequest(), { headers: { 'idempotency-key': key } })
    expect(await refusal(response)).toEqual([400, 'bad_request', 'Idempotency-Key'])
    expect(await list(service)).toEqual([])
  })

  test('may not come twice', async () => {
    const service = await startAccepting()
    const body = JSON.stringify(newRequest())
    const socket = await open(
      service,
      postHead(
        service,
        `Idempotency-Key: a\nIdempotency-Key: b\nConnection: close\nContent-Length: ${body.length}`,
      ),
    )
    socket.write(body)
    expect(await readAll(socket)).toMatch(/^HTTP\/1.1 400 [\s\S]*Idempotency-Key/)
  })

  test('is in no one else’s way: without one, the same request is another root', async () => {
    const service = await startAccepting()
    expect(await service.accept()).not.toBe(await service.accept())
    expect(await list(service)).toHaveLength(2)
  })
})

describe('a request that is wrong', () => {
  test('is told everything at once, each mistake with its place', async () => {
    const service = await startAccepting()
    const response = await service.post({
      webhook: 'x',
      screenshotParameter: { width: 0, height: 'x', fullPage: 1, tags: [1], style: 1 },
      urls: [newPage(), { url: 'x', loadingTime: 0, clicks: [] }],
    })
    expect(response.status).toBe(400)
    expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
    expect(await response.json()).toEqual({
      type: 'about:blank',
      title: 'The request is not valid',
      status: 400,
      code: 'bad_request',
      detail: 'the request has mistakes: see errors',
      errors: [
        { pointer: '#/webhook', detail: 'is not known; known are screenshotParameter, urls, failOn' },
        { pointer: '#/screenshotParameter/style', detail: 'is not supported yet' },
        { pointer: '#/screenshotParameter/width', detail: 'must be a whole number from 1 to 4096' },
        { pointer: '#/screenshotParameter/height', detail: 'must be a whole number from 1 to 16384' },
        { pointer: '#/screenshotParameter/fullPage', detail: 'must be true or false' },
        { pointer: '#/screenshotParameter/tags/0', detail: 'must be a text of 1 to 100 characters' },
        { pointer: '#/urls/1/clicks', detail: 'is not supported yet' },
        { pointer: '#/urls/1/url', detail: 'must be an address that begins with http:// or https://' },
        { pointer: '#/urls/1/name', detail: 'must be a text of 1 to 500 characters' },
        { pointer: '#/urls/1/loadingTime', detail: 'must be a whole number from 1 to 100000' },
      ],
      requestId: response.headers.get('x-request-id'),
    })
  })

  test('is held against the limits of the settings', async () => {
    const service = await startAccepting({
      MAX_URLS_PER_REQUEST: '2',
      MAX_LOADING_TIME: '5s',
      MAX_VIEWPORT_WIDTH: '800',
      MAX_VIEWPORT_HEIGHT: '600',
    })
    const ask = async (width: number, height: number, pages: object[]) =>
      await service.post({ screenshotParameter: { width, height }, urls: pages })
    const page = (loadingTime: number) => ({ ...newPage(), loadingTime })
    expect((await ask(800, 600, [page(5_000), newPage()])).status).toBe(201)
    expect(await refusal(await ask(801, 601, [page(5_001)]))).toEqual([
      ...[400, 'bad_request'],
      ...['#/screenshotParameter/width', '#/screenshotParameter/height', '#/urls/0/loadingTime'],
    ])
    expect(await refusal(await ask(1, 1, [newPage(), newPage(), newPage()]))).toEqual([
      ...[400, 'bad_request', '#/urls'],
    ])
    const [root] = await list(service)
    // The preset is never more than may be asked for.
    for (const expected of [5_000, 5_000]) {
      expect((await begin(service.store, root?.rootId ?? '')).loadingTime).toBe(expected)
    }
  })

  test('whatever it is, gets 201 or a 400 whose every pointer leads into it', async () => {
    const service = await startAccepting()
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(anyRequest, async (body) => {
        const raw = JSON.stringify(body)
        const response = await service.post(undefined, { raw })
        if (response.status === 201) {
          accepted++
          expect(await jobIdOf(response)).toMatch(UUID)
          return
        }
        const { errors = [] } = (await response.json()) as Problem
        expect([response.status, errors.length > 0]).toEqual([400, true])
        for (const { pointer = '' } of errors)
          expect([pointer, leadsInto(JSON.parse(raw), pointer)]).toEqual([pointer, true])
      }),
      { numRuns: rounds(150) },
    )
    expect(accepted).toBeGreaterThan(5)
    expect(await list(service)).toHaveLength(accepted)
    expect(service.logLines.join('')).not.toMatch(/"level":(50|60)/)
  })

  test('a hundred thousand times over is refused in few words', async () => {
    const service = await startAccepting()
    const names = Array.from({ length: 100_000 }, (_, index) => `"${index.toString(36)}":1`)
    const response = await service.post(undefined, { raw: `{${names.join(',')}}` })
    expect(response.status).toBe(400)
    expect((await response.text()).length).toBeLessThan(200_000)
  })

  test('down to the bottom of the stack is refused, too', async () => {
    const service = await startAccepting()
    for (const [open, close] of [
      ['[', ']'],
      ['{"urls":', '}'],
    ]) {
      const depth = Math.floor(1_000_000 / (`${open}${close}`.length + 1))
      const raw = `${open?.repeat(depth)}1${close?.repeat(depth)}`
      expect((await service.post(undefined, { raw })).status).toBe(400)
    }
  })
})

describe('a body', () => {
  test.each([
    ['nothing', ''],
    ['half of it', '{"urls":['],
    ['a word', 'undefined'],
    ['two values', '{}{}'],
    ['a comment', '{} // x'],
    ['single quotes', "{'urls':[]}"],
  ])('that is not JSON is 400: %s', async (_, raw) => {
    const service = await startAccepting()
    const response = await service.post(undefined, { raw })
    expect(await refusal(response)).toEqual([400, 'bad_request', '#'])
  })

  test('that is not there at all is 400 or 415', async () => {
    const service = await startAccepting()
    const address = `${service.url}/api/projects/${service.projectId}`
    expect(await refusal(await fetch(address, { method: 'POST' }))).toEqual([400, 'bad_request', '#'])
    const typed = await fetch(address, { method: 'POST', headers: { 'content-type': 'text/plain' } })
    expect(typed.status).toBe(415)
  })

  test.each([true, false])(
    'that is not UTF-8 is 400, not something else than was sent (chunked: %s)',
    async (chunked) => {
      const service = await startAccepting()
      const body = Buffer.from(JSON.stringify({ ...newRequest(), urls: [{ ...newPage(), name: '?' }] }))
      body[body.indexOf('"?"') + 1] = 0xff
      const length = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`
      const socket = await open(service, postHead(service, `${length}\nConnection: close`))
      if (chunked) socket.write(`${body.length.toString(16)}\r\n`)
      socket.write(body)
      if (chunked) socket.write('\r\n0\r\n\r\n')
      expect(await readAll(socket)).toMatch(/^HTTP\/1.1 400 [\s\S]*"pointer":"#"/)
      expect(await list(service)).toEqual([])
    },
  )

  test.each([
    'text/plain',
    'text/plain; charset=utf-8',
    'text/plain;application/json',
    'text/plain, application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/json-patch+json',
    'application/xml',
    'json',
    '*/*',
    '',
  ])('called %j is 415: a web page could send it without asking', async (type) => {
    const service = await startAccepting()
    const response = await service.post(newRequest(), { headers: { 'content-type': type } })
    expect(await refusal(response)).toEqual([415, 'unsupported_media_type'])
    expect(await list(service)).toEqual([])
  })

  test('without a name is 415', async () => {
    const service = await startAccepting()
    const body = JSON.stringify(newRequest())
    const head = `POST /api/projects/${service.projectId} HTTP/1.1\nHost: localhost\nConnection: close\n`
    const socket = await open(service, `${head}Content-Length: ${body.length}\n\n${body}`)
    expect(await readAll(socket)).toMatch(/^HTTP\/1.1 415 /)
    expect(await list(service)).toEqual([])
  })

  test.each(['application/json; charset=utf-8', 'application/json;charset=UTF-8', 'Application/JSON'])(
    'called %j is JSON',
    async (type) => {
      const service = await startAccepting()
      expect((await service.post(newRequest(), { headers: { 'content-type': type } })).status).toBe(201)
    },
  )

  test('may be as large as MAX_BODY_BYTES and no larger, counted in bytes, chunked or not', async () => {
    const service = await startAccepting({ MAX_BODY_BYTES: '2000' })
    const sized = (bytes: number) => {
      const text = JSON.stringify({ ...newRequest(), urls: [{ ...newPage(), name: 'ü'.repeat(400) }] })
      return text + ' '.repeat(bytes - Buffer.byteLength(text))
    }
    const chunked = async (raw: string) =>
      (
        await fetch(`${service.url}/api/projects/${service.projectId}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: new Blob([raw]).stream(),
          duplex: 'half',
        } as RequestInit)
      ).status
    expect((await service.post(undefined, { raw: sized(2_000) })).status).toBe(201)
    expect(await chunked(sized(2_000))).toBe(201)
    expect(await refusal(await service.post(undefined, { raw: sized(2_001) }))).toEqual([413, 'too_large'])
    expect(await chunked(sized(2_001))).toBe(413)
    expect(await list(service)).toHaveLength(2)
  })

  test('may be larger than a MiB where the operator says so', async () => {
    const service = await startAccepting({ MAX_BODY_BYTES: '3000000' })
    const raw = JSON.stringify(newRequest()) + ' '.repeat(2_500_000)
    expect((await service.post(undefined, { raw })).status).toBe(201)
    const preset = await startAccepting()
    expect((await preset.post(undefined, { raw })).status).toBe(413)
  })

  test('may arrive byte by byte, characters torn apart', async () => {
    const service = await startAccepting()
    const body = Buffer.from(JSON.stringify({ ...newRequest(), urls: [{ ...newPage(), name: '👩‍🚀ü' }] }))
    const socket = await open(service, postHead(service, `Content-Length: ${body.length}\nConnection: close`))
    socket.setNoDelay(true)
    for (const byte of body) {
      socket.write(Buffer.of(byte))
      await sleep(1)
    }
    const { jobId } = JSON.parse(/\{"jobId".*\}/.exec(await readAll(socket))?.[0] ?? '')
    expect((await readStatus(service, jobId)).urls[0]?.name).toBe('👩‍🚀ü')
  })

  test('that does not arrive within REQUEST_TIMEOUT ends the connection, and is no request', async () => {
    const service = await startAccepting({ REQUEST_TIMEOUT: '1s' })
    const socket = await open(service, postHead(service, 'Content-Length: 1000'))
    const dripping = setInterval(() => socket.write(' '), 50)
    // What is still written when it ends makes a reset of it.
    await readAll(socket).catch(() => {})
    clearInterval(dripping)
    expect(await list(service)).toEqual([])
    expect(service.logLines.join('')).not.toMatch(/"level":(50|60)/)
  })

  test('that is cut off is no request, though all that matters had come', async () => {
    const service = await startAccepting()
    const body = JSON.stringify(newRequest())
    const socket = await open(service, postHead(service, `Content-Length: ${body.length + 1}`))
    socket.write(body)
    // By the time a later request is answered, the one before it is under way.
    expect((await service.get('/healthz')).status).toBe(200)
    socket.destroy()
    while (!service.logLines.some((line) => line.includes('"method":"POST"'))) await sleep(10)
    expect(await list(service)).toEqual([])
    expect(service.logLines.join('')).not.toMatch(/"level":(50|60)/)
  })
})

describe('a key', () => {
  async function serviceWithKeys(env: Record<string, string> = {}) {
    const service = await startAccepting({ AUTH: 'keys', ...env })
    const read = await makeKey(service.store, service.projectId, 'read')
    const write = await makeKey(service.store, service.projectId, 'write')
    const ask = (secret: string | undefined, projectId = service.projectId, body: unknown = newRequest()) =>
      service.post(body, { projectId, headers: secret === undefined ? {} : { authorization: secret } })
    return { service, read, write, ask }
  }

  test('is needed: without one it is 401 with a challenge, before anything else is looked at', async () => {
    const { service, ask } = await serviceWithKeys()
    for (const [secret, projectId, body] of [
      [undefined, undefined, newRequest()],
      ['nonsense', undefined, newRequest()],
      [undefined, randomUUID(), newRequest()],
      [undefined, undefined, 'nonsense'],
    ] as const) {
      const response = await ask(secret, projectId, body)
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="proofsheet"')
      expect(await refusal(response)).toEqual([401, 'unauthorized'])
    }
    expect(await service.store.pageRoots(service.projectId, { limit: 1 })).toEqual([])
  })

  test('that may only read is 403, whatever it sends and to whatever project', async () => {
    const { service, read, ask } = await serviceWithKeys()
    const stranger = await makeProject(service.store)
    for (const projectId of [service.projectId, stranger, randomUUID(), 'x']) {
      expect(await refusal(await ask(read.secret, projectId))).toEqual([403, 'forbidden'])
      expect(await refusal(await ask(read.secret, projectId, 'nonsense'))).toEqual([403, 'forbidden'])
    }
    expect(await service.store.pageRoots(service.projectId, { limit: 1 })).toEqual([])
  })

  test('that may write is let in, sent bare or as Bearer, and may read how far it is', async () => {
    const { service, read, write, ask } = await serviceWithKeys()
    const rootId = await jobIdOf(await ask(write.secret))
    expect((await ask(`Bearer ${write.secret}`)).status).toBe(201)
    for (const { secret } of [read, write]) {
      const response = await service.get(statusUrl(service.projectId, rootId), { authorization: secret })
      expect(response.status).toBe(200)
    }
  })

  test('of another project finds nothing here', async () => {
    const { service, ask } = await serviceWithKeys()
    const { secret } = await makeKey(service.store, await makeProject(service.store), 'write')
    const nothing = await withoutRequestId(await ask(secret, randomUUID()))
    expect(nothing[0]).toBe(404)
    expect(await withoutRequestId(await ask(secret))).toEqual(nothing)
    expect(await service.store.pageRoots(service.projectId, { limit: 1 })).toEqual([])
  })

  test('that was revoked is 401 with the next request', async () => {
    const { service, write, ask } = await serviceWithKeys()
    expect((await ask(write.secret)).status).toBe(201)
    await service.store.revokeKey(write.keyId, 2)
    expect(await refusal(await ask(write.secret))).toEqual([401, 'unauthorized'])
  })

  test('is counted for what it asks, refused or not', async () => {
    const { service, read, write, ask } = await serviceWithKeys({ RATE_LIMIT: '3/1m' })
    const { projectId } = service
    const statuses = async (secret: string, bodies: unknown[]) => {
      const answers = []
      for (const body of bodies) answers.push((await ask(secret, projectId, body)).status)
      return answers
    }
    expect(await statuses(write.secret, [newRequest(), {}, newRequest(), newRequest()])).toEqual([
      201, 400, 201, 429,
    ])
    expect(await statuses(read.secret, [{}, {}, {}, {}])).toEqual([403, 403, 403, 429])
    expect(await service.store.pageRoots(projectId, { limit: 9 })).toHaveLength(2)
    service.now += 60_000
    expect(await statuses(write.secret, [newRequest()])).toEqual([201])
  })
})

describe('the rules for every request hold', () => {
  test('RATE_LIMIT: 429 says when to come back, and nothing was made', async () => {
    const service = await startAccepting({ RATE_LIMIT: '1/1m' })
    const first = await service.post(newRequest())
    expect([first.status, first.headers.get('ratelimit')]).toEqual([201, '"default";r=0;t=60'])
    const second = await service.post(newRequest())
    expect([second.status, second.headers.get('retry-after')]).toEqual([429, '60'])
    expect(await service.store.pageRoots(service.projectId, { limit: 9 })).toHaveLength(1)
  })

  test('Host: a name that is not ours is refused, before the body is read', async () => {
    const service = await startAccepting()
    const body = JSON.stringify(newRequest())
    const ask = async (host: string) => {
      const head = `POST /api/projects/${service.projectId} HTTP/1.1\n${host}Content-Type: application/json\nConnection: close\n`
      return await readAll(await open(service, `${head}Content-Length: ${body.length}\n\n${body}`))
    }
    expect(await ask('Host: evil.example.com\n')).toMatch(/^HTTP\/1.1 403 [\s\S]*host_not_allowed/)
    expect(await ask('')).toMatch(/^HTTP\/1.1 400 /)
    expect(await list(service)).toEqual([])
    expect(await ask('Host: LOCALHOST:1234\n')).toMatch(
      /^HTTP\/1.1 201 [\s\S]*location: http:\/\/localhost:1234\/api\//,
    )
  })

  test('PUBLIC_URL: Location begins with it', async () => {
    const service = await startAccepting({ PUBLIC_URL: 'https://shots.example.com/base' })
    const response = await service.post(newRequest())
    const path = `${rootsUrl(service.projectId)}/${await jobIdOf(response)}`
    expect(response.headers.get('location')).toBe(`https://shots.example.com/base${path}`)
  })

  test('CORS: pages of allowed origins may read, not write', async () => {
    const service = await startAccepting({ CORS_ORIGINS: 'https://app.example.com' })
    const preflight = await fetch(`${service.url}/api/projects/${service.projectId}`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example.com',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    })
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD')
  })

  test('methods: 405 says which one there is, here and at the others', async () => {
    const service = await startAccepting()
    const rootId = await service.accept()
    const ask = async (method: string, path: string) => {
      const response = await fetch(service.url + path, {
        method,
        ...(method === 'POST' && { body: '{', headers: { 'content-type': 'application/json' } }),
      })
      return [response.status, response.headers.get('allow')]
    }
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      expect([method, await ask(method, `/api/projects/${service.projectId}`)]).toEqual([
        method,
        [405, 'GET, HEAD, POST'],
      ])
    }
    const { projectId } = service
    for (const path of [
      rootsUrl(projectId),
      `${rootsUrl(projectId)}/${rootId}`,
      statusUrl(projectId, rootId),
    ]) {
      expect(await ask('POST', path)).toEqual([405, 'GET, HEAD'])
    }
    for (const method of ['POST', 'HEAD']) {
      expect(await ask(method, eventsUrl(projectId, rootId))).toEqual([405, 'GET'])
    }
    expect(await list(service)).toHaveLength(1)
  })

  test('metrics and logs: by route, and nothing of what was sent', async () => {
    const service = await startAccepting()
    const secret = 'https://example.com/?token=hidden'
    await service.post(
      { ...newRequest(), urls: [{ url: secret, name: 'x' }] },
      { headers: { 'idempotency-key': 'hidden-key' } },
    )
    const metrics = await (await service.get('/metrics')).text()
    expect(metrics).toContain('method="POST",route="/api/projects/:projectId",status="201"')
    await service.stop()
    expect(service.logLines.join('')).toContain(`"path":"/api/projects/${service.projectId}"`)
    expect(service.logLines.join('')).not.toContain('hidden')
  })

  test('a store that is gone is 503, and says nothing of it', async () => {
    const service = await startAccepting()
    await service.store.close()
    const took: number[] = []
    const ask = async () => {
      const begun = performance.now()
      const response = await service.post(newRequest())
      took.push(performance.now() - begun)
      return response
    }
    const [response] = [await ask(), await ask(), await ask()]
    // It will not come back: nobody waits for it as for one that is busy, which would be five seconds each time.
    expect(Math.min(...took)).toBeLessThan(BUSY_TIMEOUT_MS)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await response.text()).not.toContain(service.dataDir)
  })
})

describe('the documentation', () => {
  interface Described {
    paths: Record<string, Record<string, Operation>>
    components: { schemas: Record<string, unknown> }
  }
  interface Operation {
    operationId: string
    parameters: { name: string; in: string; schema: object }[]
    requestBody: { required?: boolean; content: Record<string, { schema: unknown }> }
    responses: Record<string, { content: Record<string, unknown>; headers?: object }>
  }
  const root = '/api/projects/{projectId}/screenshots/root/{jobId}'

  test('/openapi.json describes asking for screenshots', async () => {
    const service = await startAccepting()
    const { paths, components } = (await (await service.get('/openapi.json')).json()) as Described
    const post = paths['/api/projects/{projectId}']?.['post']
    expect(post?.operationId).toBe('requestScreenshots')
    expect(post?.requestBody.content).toEqual({
      'application/json': { schema: { $ref: '#/components/schemas/ScreenshotRequest' } },
    })
    expect(post?.parameters.map(({ name, in: place }) => [name, place])).toEqual(
      expect.arrayContaining([
        ['projectId', 'path'],
        ['idempotency-key', 'header'],
      ]),
    )
    const statuses = ['201', '400', '401', '403', '404', '408', '409', '413', '415', '429', '503']
    expect(Object.keys(post?.responses ?? {})).toEqual(statuses)
    expect(post?.responses['201']?.headers).toHaveProperty('Location')
    expect(JSON.stringify(post?.responses['201'])).toContain('"jobId"')
    expect(components.schemas['ScreenshotRequest']).toMatchObject({
      required: ['screenshotParameter', 'urls'],
      properties: {
        screenshotParameter: { required: ['width', 'height'] },
        urls: { items: { required: ['url', 'name'], properties: { loadingTime: { default: 15_000 } } } },
      },
    })
  })

  test('/openapi.json describes how far a root is, asked and told', async () => {
    const service = await startAccepting()
    const { paths } = (await (await service.get('/openapi.json')).json()) as Described
    const status = paths[`${root}/status`]?.['get']
    expect(status?.parameters).toContainEqual(
      expect.objectContaining({
        name: 'wait',
        in: 'query',
        schema: { type: 'integer', minimum: 0, maximum: 60 },
      }),
    )
    expect(status?.responses['200']?.content).toEqual({
      'application/json': { schema: { $ref: '#/components/schemas/RootStatus' } },
    })
    const events = paths[`${root}/events`]?.['get']
    expect(Object.keys(events?.responses['200']?.content ?? {})).toEqual(['text/event-stream'])
    expect(Object.keys(events?.responses ?? {})).toEqual(expect.arrayContaining(['204', '401', '404', '429']))
    expect(events?.parameters.map(({ name }) => name)).toContain('last-event-id')
  })

  test('/docs shows the three operations, what to send, and every field of it', async () => {
    const service = await startAccepting()
    const html = await (await service.get('/docs')).text()
    for (const text of [
      '<b>POST</b><code>/api/projects/{projectId}</code>',
      `<b>GET</b><code>${root}/status</code>`,
      `<b>GET</b><code>${root}/events</code>`,
      'idempotency-key',
      'screenshotParameter.fullPage',
      'urls[].loadingTime',
      'urls[].reason',
      'failOn',
      'failedResources',
      'counts.total',
      'scheduleDescription',
    ]) {
      expect(html).toContain(text)
    }
    const operation = html.split('<section>').find((part) => part.includes('<b>POST</b>'))
    expect(operation).toContain('<a href="#ScreenshotRequest">ScreenshotRequest</a>')
  })
})
