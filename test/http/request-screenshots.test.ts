import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PageOptions } from '../../src/contract/capture-options.ts'
import { DEVICES, type Device } from '../../src/contract/options/devices.ts'
import { conceal } from '../../src/contract/options/secrets.ts'
import type { RootResult } from '../../src/contract/results.ts'
import { jobIdOf, listRoots as list, UUID, withoutRequestId } from '../support/http/request-answers.ts'
import { validRequest } from '../support/http/request-values.ts'
import {
  begin,
  bothDatabases,
  DONE,
  finishNext,
  newPage,
  newRequest,
  type PostOptions,
  readStatus,
  startAccepting,
} from '../support/http/requests.ts'
import { rounds } from '../support/runner/rounds.ts'
import { usePostgres } from '../support/servers/use-servers.ts'
import { addRows, makeKey, makeProject, rootsUrl } from '../support/store/results.ts'

const postgres = usePostgres()

/** A page with a device has its window, too. */
function windowOf({ device }: { device?: Device }) {
  if (device === undefined) return {}
  const [width, height] = DEVICES[device]
  return { width, height }
}

describe.each(bothDatabases(postgres))('a request (%s)', (_, world) => {
  test('for more pages than may wait is 429 with the number that wait, and creates nothing', async () => {
    const service = await startAccepting({ ...(await world()), MAX_PAGES_WAITING: '3' })
    const headers = { 'idempotency-key': 'first' }
    const jobId = await jobIdOf(await service.post(newRequest(2), { headers }))
    const refused = await service.post(newRequest(2))
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    expect(await refused.json()).toMatchObject({
      code: 'rate_limited',
      detail: expect.stringMatching(/2 waiting pages; 2 more .* limit of 3 \(MAX_PAGES_WAITING\)/),
    })
    expect((await list(service)).map(({ rootId }) => rootId)).toEqual([jobId])
    const again = await service.post(newRequest(2), { headers })
    expect([again.status, await jobIdOf(again)]).toEqual([201, jobId])
    await finishNext(service.store, jobId)
    expect((await service.post(newRequest(2))).status).toBe(201)
  })

  test('is answered with the id of the root and its Location', async () => {
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

  test('is a root at once, without jobs, at the beginning of the list', async () => {
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

  test('changes the ETag of the list, and each result also that of its root', async () => {
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

  test('gives results in its own order, whichever page is captured first', async () => {
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

  test('may have the project id in upper case', async () => {
    const service = await startAccepting(await world())
    const response = await service.post(newRequest(), { projectId: service.projectId.toUpperCase() })
    const rootId = await jobIdOf(response)
    expect(response.headers.get('location')).toBe(`${service.url}${rootsUrl(service.projectId)}/${rootId}`)
    expect((await list(service)).map((root) => root.rootId)).toEqual([rootId])
  })

  test('has defaults: 15 s for each page, and no full page', async () => {
    const service = await startAccepting(await world())
    expect(await begin(service.store, await service.accept())).toMatchObject({
      ...{ ...newPage(), loadingTime: 15_000, options: { width: 1200, height: 720, fullPage: false } },
    })
  })

  test('for an unknown, malformed or foreign project gets the usual 404', async () => {
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

  test('for an unknown or malformed project gets the usual 404 without required keys, too', async () => {
    const service = await startAccepting(await world())
    const nothing = await withoutRequestId(await service.get(rootsUrl(randomUUID())))
    expect(nothing[0]).toBe(404)
    for (const projectId of [randomUUID(), randomUUID().toUpperCase(), 'x']) {
      expect(await withoutRequestId(await service.post(newRequest(), { projectId }))).toEqual(nothing)
    }
    // Mistakes in a request are the same for every project, and do not reveal what exists.
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

  test('is stored and echoed as it was sent, whatever its content', async () => {
    const service = await startAccepting(await world())
    const limits = {
      urls: 3,
      loadingMs: 100_000,
      viewportWidth: 4_096,
      viewportHeight: 16_384,
      picturePixels: 67_108_864,
    }
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
        const { width, height } = body.screenshotParameter
        const failOn = body.failOn ? { failOn: body.failOn } : {}
        const { tags: _, ...all } = body.screenshotParameter
        expect(status.options).toEqual({
          ...{ fullPage: false, tags: [] },
          ...conceal({ ...body.screenshotParameter, ...failOn } as PageOptions).options,
        })
        for (const { url, name, loadingTime = 15_000, ...own } of body.urls) {
          const task = await begin(service.store, rootId)
          const { options } = conceal({ fullPage: false, ...all, ...failOn, ...own } as PageOptions)
          expect(task).toMatchObject({ url, name, loadingTime, options: { ...options, ...windowOf(own) } })
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

  test('may have the longest URL and any characters in a name', async () => {
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

describe('an empty PostgreSQL database', () => {
  test('accepts requests from four services that start on it together', async () => {
    const [, , newWorld] = bothDatabases(postgres)[1] as ReturnType<typeof bothDatabases>[number]
    const env = { ...(await newWorld()), DATABASE_URL: await postgres.newEmptyDatabase() }
    const services = await Promise.all(Array.from({ length: 4 }, () => startAccepting(env)))
    const statuses = services.map(async (service) => (await service.post(newRequest())).status)
    expect(await Promise.all(statuses)).toEqual([201, 201, 201, 201])
  })
})
