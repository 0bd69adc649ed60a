import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { askAgain, createClient, ProblemError, type RootResult } from '../../src/client/client.ts'
import { FAILED, finishNext, newRequest, startAccepting } from '../support/http/requests.ts'
import { startService, type TestService } from '../support/http/service.ts'
import { addRows, makeKey, makeProject, rootsUrl } from '../support/store/results.ts'

async function rawRoots(service: TestService, projectId: string): Promise<RootResult[]> {
  return (await (await service.get(rootsUrl(projectId))).json()) as RootResult[]
}

async function startWithRoots(count: number, env: Record<string, string> = {}) {
  const service = await startService(env)
  const projectId = await makeProject(service.store)
  for (let index = 0; index < count; index++) {
    await addRows(service.store, projectId, { created: 1_000 + index, jobs: 2 })
  }
  return { service, projectId, client: createClient({ server: service.url }) }
}

describe('roots', () => {
  test('are the same in one answer and in list pages', async () => {
    const { service, projectId, client } = await startWithRoots(7)
    const all = await rawRoots(service, projectId)
    expect(all).toHaveLength(7)
    expect(await Array.fromAsync(client.listRoots(projectId))).toEqual([all])
    const pages = await Array.fromAsync(client.listRoots(projectId, { limit: 3 }))
    expect(pages.map((page) => page.length)).toEqual([3, 3, 1])
    expect(pages.flat()).toEqual(all)
    for (const root of all) expect(await client.getRoot(projectId, root.rootId)).toEqual(root)
    const empty = await makeProject(service.store)
    expect(await Array.fromAsync(client.listRoots(empty))).toEqual([[]])
  })

  test('are fetched from the server URL of the client, whatever PUBLIC_URL is', async () => {
    const { service, projectId, client } = await startWithRoots(3, {
      PUBLIC_URL: 'https://shots.example.com',
    })
    const answer = await service.get(`${rootsUrl(projectId)}?limit=2`)
    expect(answer.headers.get('link')).toContain('<https://shots.example.com/')
    const pages = await Array.fromAsync(client.listRoots(projectId, { limit: 2 }))
    expect(pages.map((page) => page.length)).toEqual([2, 1])
  })
})

describe('with keys', () => {
  test('a key opens only its own project', async () => {
    const service = await startAccepting({ AUTH: 'keys' })
    const rootId = await addRows(service.store, service.projectId)
    const { secret } = await makeKey(service.store, service.projectId)
    const client = createClient({ server: service.url, key: secret })
    expect((await client.getRoot(service.projectId, rootId)).rootId).toBe(rootId)
    const other = await makeProject(service.store)
    await expect(client.listRoots(other).next()).rejects.toMatchObject({ status: 404, code: 'not_found' })
    await expect(client.requestScreenshots(service.projectId, newRequest())).rejects.toMatchObject({
      ...{ status: 403, code: 'forbidden', detail: expect.stringContaining('may only read') },
    })
    for (const key of [undefined, `${secret}x`]) {
      const stranger = createClient({ server: service.url, key })
      await expect(stranger.getRoot(service.projectId, rootId)).rejects.toMatchObject({ status: 401 })
    }
  })
})

describe('problems', () => {
  test('name every mistake and its place', async () => {
    const service = await startAccepting()
    const client = createClient({ server: service.url })
    const wrong = { screenshotParameter: { width: 0, height: 720 }, urls: [{ url: 'ftp://x/', name: '' }] }
    const error = await client.requestScreenshots(service.projectId, wrong).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(ProblemError)
    expect(error).toMatchObject({
      ...{ status: 400, code: 'bad_request', requestId: expect.stringMatching(/./) },
      errors: [
        { pointer: '#/screenshotParameter/width', detail: expect.any(String) },
        { pointer: '#/urls/0/url', detail: expect.any(String) },
        { pointer: '#/urls/0/name', detail: expect.any(String) },
      ],
    })
    await expect(client.listRoots(service.projectId, { limit: 1_000 }).next()).rejects.toMatchObject({
      ...{ code: 'bad_request', errors: [{ parameter: 'limit', detail: expect.any(String) }] },
    })
    expect(service.logLines.join('')).toContain(error.requestId)
  })

  test('report a missing root and too many requests', async () => {
    const { service, projectId, client } = await startWithRoots(1, { RATE_LIMIT: '1/1m' })
    await expect(client.getRoot(projectId, randomUUID())).rejects.toMatchObject({ code: 'not_found' })
    service.now += 10_000
    await expect(client.getRoot(projectId, randomUUID())).rejects.toMatchObject({
      ...{ status: 429, code: 'rate_limited', retryAfter: 50 },
    })
  })
})

describe('a request for screenshots', () => {
  test('is accepted once, and its status can be awaited', async () => {
    const service = await startAccepting()
    const client = createClient({ server: service.url })
    const ask = (idempotencyKey?: string) =>
      client.requestScreenshots(service.projectId, newRequest(2), { idempotencyKey })
    const { jobId } = await ask('release-7')
    expect(await ask('release-7')).toEqual({ jobId })
    expect(await ask()).not.toEqual({ jobId })
    await expect(
      client.requestScreenshots(service.projectId, newRequest(1), { idempotencyKey: 'release-7' }),
    ).rejects.toMatchObject({ status: 409, code: 'conflict' })
    expect(await client.getRoot(service.projectId, jobId)).toMatchObject({ rootId: jobId, jobs: [] })
    expect(await client.getStatus(service.projectId, jobId)).toMatchObject({
      ...{ rootId: jobId, state: 'queued', counts: { total: 2, queued: 2 } },
    })
    const waiting = client.getStatus(service.projectId, jobId, { wait: 30 })
    await finishNext(service.store, jobId)
    await finishNext(service.store, jobId)
    expect(await waiting).toMatchObject({ state: 'done', counts: { done: 2 } })
  })
})

test('failed pages are requested again in the same way', async () => {
  const service = await startAccepting()
  const { projectId, store } = service
  const client = createClient({ server: service.url })
  const phone = { width: 390, height: 844 }
  const { jobId } = await client.requestScreenshots(projectId, {
    screenshotParameter: { sizes: [phone, { width: 1280, height: 800 }], fullPage: true, tags: ['release'] },
    urls: [{ url: 'https://example.com/', name: 'Home', loadingTime: 7_000 }],
    failOn: 'status',
  })
  await finishNext(store, jobId, FAILED)
  await finishNext(store, jobId)
  const status = await client.getStatus(projectId, jobId)
  const { request, secrets } = askAgain(status, { only: 'failed' })
  expect(secrets).toEqual([])
  const again = await client.getStatus(projectId, (await client.requestScreenshots(projectId, request)).jobId)
  const { options, tags, urls } = again
  expect({ options, tags }).toEqual({ options: status.options, tags: ['release'] })
  expect(urls).toEqual([
    expect.objectContaining({ name: 'Home', loadingTime: 7_000, options: phone, state: 'queued' }),
  ])
})
