import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type JobOverview, OVERVIEW_JOBS, type RootOverview } from '../../src/contract/browsing.ts'
import type { RootResult } from '../../src/contract/results.ts'
import {
  bothDatabases,
  FAILED,
  finishNext,
  newRequest,
  readStatus,
  startAccepting,
} from '../support/http/requests.ts'
import { startService, type TestService } from '../support/http/service.ts'
import { usePostgres } from '../support/servers/use-servers.ts'
import { newRequest as capturesRequest, somePages } from '../support/store/captures.ts'
import {
  addPictures,
  addRows,
  makeKey,
  makePng,
  makeProject,
  rootsUrl,
  submittedJob,
} from '../support/store/results.ts'

const postgres = usePostgres()

const overviewsUrl = (projectId: string) => `/api/projects/${projectId}/screenshots/overview`
const overviewUrl = (projectId: string, rootId: string) => `${rootsUrl(projectId)}/${rootId}/overview`

async function read(service: TestService, path: string) {
  const response = await service.get(path)
  expect(response.status).toBe(200)
  const next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1]
  return { body: (await response.json()) as RootOverview[], next }
}

async function readOne(service: TestService, projectId: string, rootId: string): Promise<RootOverview> {
  return (await (await service.get(overviewUrl(projectId, rootId))).json()) as RootOverview
}

describe.each(bothDatabases(postgres))('overviews (%s)', (_, world) => {
  test('agree with the status, and have the screenshots of the root', async () => {
    const service = await startAccepting(await world())
    const { projectId } = service
    const tags = ['nightly', '“🦉”']
    const screenshotParameter = { ...newRequest().screenshotParameter, tags }
    const rootIds: string[] = []
    for (const ends of [
      [],
      ['done'],
      ['failed'],
      ['done', 'failed'],
      ['done', 'done'],
      ['failed', 'failed'],
    ]) {
      const rootId = await service.accept(2, { screenshotParameter })
      for (const end of ends) await finishNext(service.store, rootId, ...(end === 'failed' ? [FAILED] : []))
      rootIds.push(rootId)
    }
    const { body } = await read(service, overviewsUrl(projectId))
    const byRoot = new Map(body.map((each) => [each.rootId, each]))
    expect(byRoot.size).toBe(rootIds.length)
    for (const rootId of rootIds) {
      const { state, created, counts } = await readStatus(service, rootId)
      const { jobs } = (await (await service.get(`${rootsUrl(projectId)}/${rootId}`)).json()) as RootResult
      const { urls } = await readStatus(service, rootId)
      const view = { width: 1200, height: 720, fullPage: false }
      const failures = urls
        .filter((page) => page.state === 'failed')
        .map(({ position, url, name, reason, detail }) => ({ position, url, name, reason, detail }))
      const expected = {
        ...{ rootId, meta: { created }, state, tags, counts, marks: {}, view, failures },
        jobs: jobs.map((job) => ({ ...job, view, seen: urls.find(({ uuid }) => uuid === job.uuid)?.seen })),
      }
      expect(byRoot.get(rootId)).toEqual(expected)
      expect(await readOne(service, projectId, rootId)).toEqual(expected)
    }
    expect(new Set(body.map(({ state }) => state)).size).toBe(5)
  })

  test('show the own options of a page, and so does its history', async () => {
    const service = await startAccepting(await world())
    const { projectId, store } = service
    const pages = somePages(2).map((page) => ({ ...page, url: 'https://example.com/' }))
    const ownOptions = { width: 390, fullPage: true }
    const rootId = await store.captures.accept({
      ...capturesRequest(projectId, { options: { width: 1200, height: 720, fullPage: false } }),
      pages: pages.map((page, index) => (index === 1 ? { ...page, ownOptions } : page)),
    })
    for (const _ of pages) await finishNext(store, rootId)
    const all = { width: 1200, height: 720, fullPage: false }
    const { view, jobs } = await readOne(service, projectId, rootId)
    expect([view, ...jobs.map((job) => job.view)]).toEqual([all, all, { ...all, ...ownOptions }])
    const history = async (query: string) => {
      const path = `/api/projects/${projectId}/pages/history?url=https://example.com/&${query}`
      return ((await (await service.get(path)).json()) as JobOverview[]).map(({ uuid }) => uuid)
    }
    const [first, second] = jobs.map(({ uuid }) => uuid)
    expect(await history('width=390')).toEqual([second])
    expect(await history('fullPage=false&width=1200')).toEqual([first])
    expect(await history('fullPage=false&width=390')).toEqual([])
  })

  test('of imported roots are done', async () => {
    const service = await startService(await world())
    const projectId = await makeProject(service.store)
    const { rootId } = await addPictures(service, projectId, {
      created: 7,
      jobs: [submittedJob(await makePng(), { name: 'Ω "x" \\' })],
    })
    const overview = await readOne(service, projectId, rootId)
    expect(Object.keys(overview)).toEqual([
      ...['rootId', 'meta', 'state', 'tags', 'counts', 'marks', 'failures', 'jobs'],
    ])
    expect(overview).toMatchObject({
      ...{ rootId, meta: { created: 7 }, state: 'done', tags: [] },
      counts: { total: 1, queued: 0, running: 0, done: 1, failed: 0 },
      jobs: [{ url: { name: 'Ω "x" \\' } }],
    })
    for (const address of [overview.jobs[0]?.data, overview.jobs[0]?.preview]) {
      expect((await fetch(address ?? '')).headers.get('content-type')).toBe('image/png')
    }
  })

  test('are listed newest first, in list pages, with the first jobs only', async () => {
    const service = await startService(await world())
    const projectId = await makeProject(service.store)
    const roots: { created: number; rootId: string; jobs: number }[] = []
    for (let index = 0; index < 23; index++) {
      const [created, jobs] = [
        1_000 + ((index * 7) % 4),
        [0, 1, OVERVIEW_JOBS, OVERVIEW_JOBS + 1, 150][index % 5] ?? 0,
      ]
      roots.push({ created, jobs, rootId: await addRows(service.store, projectId, { created, jobs }) })
    }
    roots.sort((a, b) => b.created - a.created || (a.rootId < b.rootId ? -1 : 1))
    for (const limit of [1, 5, 17, 23, 24]) {
      const seen: RootOverview[] = []
      for (let path: string | undefined = `${overviewsUrl(projectId)}?limit=${limit}`; path; ) {
        const page = await read(service, path)
        expect(page.body.length).toBeLessThanOrEqual(limit)
        seen.push(...page.body)
        path = page.next
      }
      expect(seen.map(({ rootId, counts, jobs }) => [rootId, counts.total, jobs.length])).toEqual(
        roots.map(({ rootId, jobs }) => [rootId, jobs, Math.min(jobs, OVERVIEW_JOBS)]),
      )
    }
  })
})

describe('overviews', () => {
  test('are never cached, and HEAD is GET without a body', async () => {
    const service = await startService({ PAGE_LIMIT: '2' })
    const projectId = await makeProject(service.store)
    const rootIds = [1, 2, 3].map((created) => addRows(service.store, projectId, { created }))
    const [rootId = ''] = await Promise.all(rootIds)
    for (const path of [overviewsUrl(projectId), overviewUrl(projectId, rootId)]) {
      const get = await service.get(path, { 'if-none-match': '*' })
      expect([get.status, get.headers.get('cache-control'), get.headers.get('etag')]).toEqual([
        200,
        'no-store',
        null,
      ])
      expect(get.headers.get('content-type')).toBe('application/json; charset=utf-8')
      const head = await fetch(service.url + path, { method: 'HEAD' })
      expect([head.status, await head.text(), head.headers.get('link')]).toEqual([
        200,
        '',
        get.headers.get('link'),
      ])
      const other = await fetch(service.url + path, { method: 'DELETE' })
      expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
    // Without a limit there are PAGE_LIMIT of them.
    const first = await read(service, overviewsUrl(projectId.toUpperCase()))
    expect(first.body).toHaveLength(2)
    expect((await read(service, first.next ?? '')).body).toHaveLength(1)
  })

  test('are empty for a project without roots', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    expect(await (await service.get(overviewsUrl(projectId))).text()).toBe('[]')
  })

  test('a bad limit or cursor is 400', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=x',
      'cursor=',
      'cursor=x',
      `cursor=${'x'.repeat(201)}`,
    ]) {
      expect([query, (await service.get(`${overviewsUrl(projectId)}?${query}`)).status]).toEqual([query, 400])
    }
  })

  test('are the same 404 for anything unknown, malformed or of another project', async () => {
    const service = await startService({ AUTH: 'keys' })
    const [mine, theirs] = [await makeProject(service.store), await makeProject(service.store)]
    const { secret: authorization } = await makeKey(service.store, mine)
    const [own, foreign] = [await addRows(service.store, mine), await addRows(service.store, theirs)]
    const ask = async (path: string) => {
      const response = await service.get(path, { authorization })
      return [response.status, (await response.text()).replace(/"requestId":"[^"]+"/, '')]
    }
    const nothing = await ask(overviewUrl(mine, randomUUID()))
    expect(nothing[0]).toBe(404)
    for (const path of [
      overviewUrl(mine, foreign),
      overviewUrl(theirs, foreign),
      overviewUrl(mine, 'x'),
      overviewsUrl(theirs),
      overviewsUrl(randomUUID()),
      overviewsUrl('x'),
    ]) {
      expect([path, await ask(path)]).toEqual([path, nothing])
    }
    expect((await ask(overviewUrl(mine, own)))[0]).toBe(200)
    expect((await service.get(overviewsUrl(mine))).status).toBe(401)
  })

  test('take the same number of queries for many roots as for one', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    const asked: number[] = []
    for (const roots of [1, 30]) {
      for (let index = 0; index < roots; index++) await addRows(service.store, projectId, { jobs: 20 })
      const { browsing } = service.store
      const { requestsOf, firstTexts } = browsing
      let calls = 0
      Object.assign(browsing, {
        requestsOf: (...args: Parameters<typeof requestsOf>) => {
          calls++
          return requestsOf(...args)
        },
        firstTexts: (...args: Parameters<typeof firstTexts>) => {
          calls++
          return firstTexts(...args)
        },
      })
      await read(service, overviewsUrl(projectId))
      Object.assign(browsing, { requestsOf, firstTexts })
      asked.push(calls)
    }
    expect(asked).toEqual([2, 2])
  })
})
