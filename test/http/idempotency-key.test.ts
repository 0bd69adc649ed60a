import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { sendRaw as open, postHead, readAll } from '../support/http/raw-request.ts'
import { jobIdOf, listRoots as list, refusal, UUID } from '../support/http/request-answers.ts'
import {
  bothDatabases,
  finishNext,
  newPage,
  newRequest,
  type PostOptions,
  readStatus,
  startAccepting,
} from '../support/http/requests.ts'
import { usePostgres } from '../support/servers/use-servers.ts'
import { makeKey, makeProject, rootsUrl } from '../support/store/results.ts'

const postgres = usePostgres()

describe.each(bothDatabases(postgres))('an Idempotency-Key (%s)', (_, world) => {
  const withKey = (key: string, more: PostOptions = {}) => ({ ...more, headers: { 'idempotency-key': key } })

  test('gives a repeated request the same answer, and creates no second root', async () => {
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

  test('compares the meaning of requests, not their spelling', async () => {
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

  test('that was used for another request is 409, and nothing is created', async () => {
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

  test('of a request stored before failOn existed still matches it', async () => {
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

  test('creates one root for twenty requests at once, on two services', async () => {
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

  test('lets one of ten different requests at once win; the others conflict', async () => {
    const service = await startAccepting(await world())
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => service.post(newRequest(index + 1), withKey('k'))),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
    expect(await list(service)).toHaveLength(1)
  })
})

describe('an Idempotency-Key', () => {
  const visible = String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 0x21 + index))

  test.each([
    ['every visible character', visible],
    ['255 characters', 'x'.repeat(255)],
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
    ['split by a tab', 'a\tb'],
    ['outside ASCII', 'ü'],
  ])('may not be %s', async (_, key) => {
    const service = await startAccepting()
    const response = await service.post(newRequest(), { headers: { 'idempotency-key': key } })
    expect(await refusal(response)).toEqual([400, 'bad_request', 'Idempotency-Key'])
    expect(await list(service)).toEqual([])
  })

  test('may not occur twice', async () => {
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

  test('does not tell the holder of another key whether the secrets of a request were guessed', async () => {
    const service = await startAccepting({ AUTH: 'keys' })
    const [owner, other] = [
      await makeKey(service.store, service.projectId, 'write'),
      await makeKey(service.store, service.projectId, 'write'),
    ]
    const ask = async ({ secret }: { secret: string }, value: string) => {
      const body = {
        ...newRequest(),
        screenshotParameter: { width: 300, height: 200, headers: { 'x-mark': value } },
      }
      return (await service.post(body, { headers: { authorization: secret, 'idempotency-key': 'nightly' } }))
        .status
    }
    expect([await ask(owner, 'right'), await ask(owner, 'right'), await ask(owner, 'wrong')]).toEqual([
      201, 201, 409,
    ])
    expect([await ask(other, 'wrong'), await ask(other, 'right')]).toEqual([409, 409])
  })

  test('is optional: without one, the same request creates another root', async () => {
    const service = await startAccepting()
    expect(await service.accept()).not.toBe(await service.accept())
    expect(await list(service)).toHaveLength(2)
  })
})
