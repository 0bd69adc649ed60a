import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JobOverview, PageSummary, RootOverview } from '../../src/contract/browsing.ts'
import { MARK_NAMES, type Mark } from '../../src/contract/seen.ts'
import { ROOT_STATES } from '../../src/contract/states.ts'
import type { Failed } from '../../src/store/captures.ts'
import type { Store } from '../../src/store/store.ts'
import {
  bothDatabases,
  DONE,
  FAILED,
  finishNext,
  readStatus,
  startAccepting,
} from '../support/http/requests.ts'
import { startService, type TestService } from '../support/http/service.ts'
import { usePostgres } from '../support/servers/use-servers.ts'
import { newRequest, newSeen, type RequestChanges } from '../support/store/captures.ts'
import { addRows, makeProject, newJob, rootsUrl } from '../support/store/results.ts'

const postgres = usePostgres()

const overviewsUrl = (projectId: string, query = '') =>
  `/api/projects/${projectId}/screenshots/overview?${query}`
const historyUrl = (projectId: string, query = '') =>
  `/api/projects/${projectId}/pages/history?url=${encodeURIComponent('https://example.com/0')}&${query}`

const seeing = (...marks: Mark[]) => ({ ...DONE, seen: newSeen({ marks }) })
const LOST = newSeen({ status: 404, title: 'Not “here”', url: 'https://example.com/lost', marks: ['error'] })
const WINDOW = { width: 1200, height: 720, fullPage: false }

async function readPages<T>(service: TestService, first: string): Promise<T[][]> {
  const pages: T[][] = []
  for (let path: string | undefined = first; path; ) {
    const response: Response = await service.get(path)
    expect([path, response.status]).toEqual([path, 200])
    pages.push((await response.json()) as T[])
    path = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1]
  }
  return pages
}

const readAll = async <T>(service: TestService, first: string) => (await readPages<T>(service, first)).flat()

/** A request with its own time. */
async function ask(
  store: Store,
  projectId: string,
  created: number,
  more: RequestChanges = {},
): Promise<string> {
  return await store.captures.accept(
    newRequest(projectId, { created, options: { fullPage: false }, ...more }),
  )
}

describe.each(bothDatabases(postgres))('captured pages (%s)', (_, world) => {
  test('show what was seen in status, overview, history and pages, and not in the frozen answers', async () => {
    const service = await startAccepting(await world())
    const { projectId } = service
    const rootId = await service.accept(2)
    await finishNext(service.store, rootId, { ...DONE, seen: LOST })
    const gone: Failed = { reason: 'status', detail: 'It answered 410.', seen: { ...LOST, status: 410 } }
    await finishNext(service.store, rootId, gone)
    const status = await readStatus(service, rootId)
    expect(status.urls).toMatchObject([
      { state: 'done', seen: LOST },
      { state: 'failed', reason: 'status', detail: 'It answered 410.', seen: { ...LOST, status: 410 } },
    ])
    const [overview] = await readAll<RootOverview>(service, overviewsUrl(projectId))
    expect(overview).toMatchObject({ state: 'partial', marks: { error: 2 }, view: WINDOW })
    expect(overview?.failures).toEqual([
      {
        position: 1,
        url: 'https://example.com/1',
        name: 'Page 1',
        reason: 'status',
        detail: 'It answered 410.',
      },
    ])
    expect(overview?.jobs).toMatchObject([{ view: WINDOW, seen: LOST }])
    expect(await readAll(service, historyUrl(projectId))).toEqual(overview?.jobs)
    const pages = await readAll<PageSummary>(service, `/api/projects/${projectId}/pages`)
    expect(pages.map(({ latest }) => latest)).toEqual(overview?.jobs)
    const fields = ['data', 'rootId', 'projectId', 'uuid', 'url', 'meta', 'screenshotParameter', 'preview']
    expect(Object.keys(overview?.jobs[0] ?? {})).toEqual([...fields, 'view', 'seen'])
    for (const path of [rootsUrl(projectId), `${rootsUrl(projectId)}/${rootId}`]) {
      const body = (await (await service.get(path)).json()) as RootOverview | RootOverview[]
      const [root] = [body].flat()
      expect(Object.keys(root ?? {})).toEqual(['rootId', 'meta', 'jobs'])
      expect(root?.jobs.map((job) => Object.keys(job))).toEqual([fields])
    }
  })

  test('have a series for each window and full page in their history, in list pages', async () => {
    const service = await startAccepting(await world())
    const { store, projectId } = service
    const views = [
      { width: 1200, fullPage: false },
      { width: 1200, fullPage: true },
      { width: 390, fullPage: false },
    ]
    for (let index = 0; index < 12; index++) {
      const rootId = await ask(store, projectId, 1_000 + index, { options: views[index % 3] })
      const task = await store.captures.takeNext({ now: 1e14, leaseMs: 1, rootId })
      if (task) await store.captures.finish(task, DONE, 2_000 + index)
    }
    const read = async (query: string) =>
      (await readPages<JobOverview>(service, historyUrl(projectId, query))).map((page) =>
        page.map(({ view, meta }) => [view?.width, view?.fullPage, meta.created - 2_000]),
      )
    expect((await read('limit=5')).map((page) => page.length)).toEqual([5, 5, 2])
    expect(await read('fullPage=true&limit=3')).toEqual([
      [10, 7, 4].map((index) => [1200, true, index]),
      [[1200, true, 1]],
    ])
    expect(await read('fullPage=false&width=1200')).toEqual([
      [9, 6, 3, 0].map((index) => [1200, false, index]),
    ])
    expect(await read('width=390&limit=4')).toEqual([[11, 8, 5, 2].map((index) => [390, false, index])])
    expect((await read('width=1200')).flat()).toHaveLength(8)
    expect(await read('width=391')).toEqual([[]])
  })

  test('have no series if they were imported', async () => {
    const service = await startAccepting(await world())
    const { projectId } = service
    await addRows(service.store, projectId)
    const read = async (query: string) => {
      const url = `/api/projects/${projectId}/pages/history?url=https://example.com/&${query}`
      return (await readAll<JobOverview>(service, url)).map((job) => 'view' in job)
    }
    expect([await read(''), await read('fullPage=true'), await read('fullPage=false')]).toEqual([
      [false],
      [],
      [],
    ])
  })

  test('property: are filtered in overviews by state, mark, date, text and tag, in list pages of any size', async () => {
    const service = await startAccepting(await world())
    const { store, projectId } = service
    const made: RootOverview[] = []
    const ends = [[], ['cut'], ['error', 'wide'], ['cut', 'incomplete']] as Mark[][]
    for (let index = 0; index < 24; index++) {
      const created = 1_000 + (index % 9)
      const tags = index % 4 === 0 ? ['nightly'] : []
      const rootId =
        index % 8 === 7
          ? await addRows(store, projectId, { created })
          : await ask(store, projectId, created, {
              pages: 1 + (index % 2),
              options: { fullPage: false, tags },
            })
      if (index % 8 < 6 && index % 8 > 0) {
        await finishNext(store, rootId, index % 3 === 0 ? FAILED : seeing(...(ends[index % 4] ?? [])))
      }
      if (index % 8 === 5) await finishNext(store, rootId, seeing('restless'))
    }
    for (const created of [1_003, 1_006]) {
      const rootId = await ask(store, projectId, created, { origin: { scheduled: 1e13 } })
      if (created === 1_006) await store.scheduledRoots.cancel({ projectId, rootId }, created)
    }
    made.push(...(await readAll<RootOverview>(service, overviewsUrl(projectId))))
    expect(new Set(made.map(({ state }) => state))).toEqual(new Set(ROOT_STATES))
    const question = fc.record(
      {
        state: fc.uniqueArray(fc.constantFrom(...ROOT_STATES), { minLength: 1, maxLength: 3 }),
        mark: fc.constantFrom(...MARK_NAMES),
        from: fc.integer({ min: 998, max: 1_010 }),
        to: fc.integer({ min: 998, max: 1_010 }),
        tag: fc.constant('nightly'),
        q: fc.constantFrom('PAGE 1', 'example', 'home'),
        limit: fc.integer({ min: 1, max: 7 }),
      },
      { requiredKeys: ['limit'] },
    )
    await fc.assert(
      fc.asyncProperty(question, async ({ limit, state, mark, from, to, tag, q }) => {
        const query = new URLSearchParams({ limit: `${limit}` })
        for (const each of state ?? []) query.append('state', each)
        for (const [name, value] of Object.entries({ mark, from, to, tag, q })) {
          if (value !== undefined) query.set(name, `${value}`)
        }
        const names = ({ counts, view }: RootOverview) =>
          view
            ? `https://example.com/0 page 0 ${counts.total > 1 ? 'page 1' : ''}`
            : 'https://example.com/ home'
        const expected = made.filter(
          (root) =>
            (state?.includes(root.state) ?? true) &&
            (mark === undefined || root.marks[mark] !== undefined) &&
            (from === undefined || root.meta.created >= from) &&
            (to === undefined || root.meta.created < to) &&
            (tag === undefined || root.tags.includes(tag)) &&
            (q === undefined || names(root).includes(q.toLowerCase())),
        )
        const pages = await readPages<RootOverview>(service, overviewsUrl(projectId, `${query}`))
        expect(pages.flat().map(({ rootId }) => rootId)).toEqual(expected.map(({ rootId }) => rootId))
        for (const page of pages) expect(page.length).toBeLessThanOrEqual(limit)
      }),
      { numRuns: 60 },
    )
  })
})

describe('filters', () => {
  test('with invalid values are 400', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    for (const query of [
      'state=x',
      'state=done&state=x',
      'mark=x',
      'mark=',
      'from=x',
      'to=1.5',
      'from=-1',
      'to=1e99',
    ]) {
      expect([query, (await service.get(overviewsUrl(projectId, query))).status]).toEqual([query, 400])
    }
    for (const query of ['fullPage=2', 'width=0', 'width=x']) {
      expect([query, (await service.get(historyUrl(projectId, query))).status]).toEqual([query, 400])
    }
    const latest = `from=0&to=${Number.MAX_SAFE_INTEGER}`
    expect((await service.get(overviewsUrl(projectId, latest))).status).toBe(200)
  })

  test('of a series read a limited number of screenshots, and the Link continues', async () => {
    const service = await startAccepting()
    const { store, projectId } = service
    const rootId = await ask(store, projectId, 1, { options: { fullPage: true } })
    await finishNext(store, rootId)
    const url = 'https://example.com/0'
    const jobs = Array.from({ length: 5_100 }, (_, position) => newJob({ url, created: 1_000, position }))
    const imported = randomUUID()
    await store.addRoot({ projectId, rootId: imported, created: 1, digest: 'x', jobs }, async () => {})
    const pages = await readPages<JobOverview>(service, historyUrl(projectId, 'fullPage=true'))
    expect(pages.map((page) => page.map((job) => job.rootId))).toEqual([[], [rootId]])
  })

  test('of a date range continue within it, even with a cursor of another range', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    for (const created of [1, 2, 3, 4, 5]) await addRows(service.store, projectId, { created })
    const response = await service.get(overviewsUrl(projectId, 'limit=1'))
    const cursor = /cursor=([^&>]+)/.exec(response.headers.get('link') ?? '')?.[1]
    const read = async (query: string) =>
      (await readAll<RootOverview>(service, overviewsUrl(projectId, query))).map(({ meta }) => meta.created)
    expect(await read(`cursor=${cursor}&to=4`)).toEqual([3, 2, 1])
    expect(await read(`cursor=${cursor}&from=3&limit=1`)).toEqual([4, 3])
  })

  test('of a date range use its key: no root outside of the range is read', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    for (let created = 0; created < 60; created++) await addRows(service.store, projectId, { created })
    const { pageRoots } = service.store
    const looked: number[] = []
    service.store.pageRoots = async (...page) => {
      const heads = await pageRoots(...page)
      looked.push(...heads.map(({ created }) => created))
      return heads
    }
    await readAll(service, overviewsUrl(projectId, 'to=20&limit=5&from=18'))
    expect(Math.max(...looked)).toBe(19)
    expect(looked.length).toBeLessThanOrEqual(6)
  })
})
