import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RootOverview } from '../../src/contract/browsing.ts'
import type { RootResult } from '../../src/contract/results.ts'
import { bothDatabases, FAILED, finishNext, newRequest, startAccepting } from '../support/http/requests.ts'
import { startService, type TestService } from '../support/http/service.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { anyCharacter } from '../support/runner/any-character.ts'
import { runSql } from '../support/servers/databases.ts'
import { usePostgres } from '../support/servers/use-servers.ts'
import { makeProject, newJob, rootsUrl } from '../support/store/results.ts'
import { seedRows } from '../support/store/seed.ts'

const postgres = usePostgres()

const overviewsUrl = (projectId: string) => `/api/projects/${projectId}/screenshots/overview`
const queryOf = (question: Record<string, string>) => `?${new URLSearchParams(question)}`

async function page<Root extends { rootId: string } = RootResult>(service: TestService, path: string) {
  const response = await service.get(path)
  expect([path, response.status]).toEqual([path, 200])
  const link = response.headers.get('link') ?? ''
  return { roots: (await response.json()) as Root[], next: /^<([^>]+)>; rel="next"$/.exec(link)?.[1] }
}

async function readAll<Root extends { rootId: string } = RootResult>(service: TestService, first: string) {
  const seen: Root[] = []
  let pages = 0
  for (let path: string | undefined = first; path; pages++) {
    const answer: { roots: Root[]; next: string | undefined } = await page<Root>(service, path)
    seen.push(...answer.roots)
    path = answer.next
  }
  return { seen, pages, ids: seen.map(({ rootId }) => rootId) }
}

/** Returns the root. */
async function addNames(service: TestService, projectId: string, created: number, names: string[]) {
  const rootId = crypto.randomUUID()
  const jobs = names.map((name) => newJob({ name, url: 'https://example.com/' }))
  await service.store.addRoot({ projectId, rootId, created, digest: rootId, jobs }, async () => {})
  return rootId
}

describe.each(bothDatabases(postgres))('a search (%s)', (_, world) => {
  test('returns whole roots, in order, as a list and in list pages', async () => {
    const service = await startService(await world())
    const projectId = await makeProject(service.store)
    const expected: string[] = []
    for (let index = 0; index < 40; index++) {
      const names = ['Start', 'Impressum', index % 3 === 0 ? 'Über uns' : 'Kontakt']
      const rootId = await addNames(service, projectId, 1_000 - index, names)
      if (index % 3 === 0) expected.push(rootId)
    }
    const { roots: all } = await page(service, rootsUrl(projectId))
    for (const q of ['über', 'ÜBER UNS', 'Über%20u', '%C3%9Cb']) {
      const text = decodeURIComponent(q)
      const { roots, next } = await page(service, rootsUrl(projectId) + queryOf({ q: text }))
      expect([next, roots]).toEqual([undefined, all.filter(({ rootId }) => expected.includes(rootId))])
      for (const limit of ['1', '5', '14', '100']) {
        const { ids } = await readAll(service, rootsUrl(projectId) + queryOf({ limit, q: text }))
        expect(ids).toEqual(expected)
        const overviews = await readAll(service, overviewsUrl(projectId) + queryOf({ limit, q: text }))
        expect(overviews.ids).toEqual(expected)
      }
    }
    for (const q of ['nothing', '%', '_ber', 'a\0b', '\ud800']) {
      expect((await page(service, rootsUrl(projectId) + queryOf({ q }))).roots).toEqual([])
      expect((await readAll(service, rootsUrl(projectId) + queryOf({ q, limit: '3' }))).ids).toEqual([])
      expect((await readAll(service, overviewsUrl(projectId) + queryOf({ q }))).ids).toEqual([])
    }
    expect((await page(service, `${rootsUrl(projectId)}?q=&tag=`)).roots).toEqual(all)
    expect((await readAll(service, `${rootsUrl(projectId)}?q=&limit=7`)).seen).toEqual(all)
  })

  test('shows in an overview the first screenshots that match', async () => {
    const service = await startService(await world())
    const projectId = await makeProject(service.store)
    const names = Array.from({ length: 500 }, (_, index) => (index % 20 === 19 ? `Needle ${index}` : 'Hay'))
    const rootId = await addNames(service, projectId, 1, names)
    const { seen } = await readAll<RootOverview>(service, `${overviewsUrl(projectId)}?q=needle`)
    expect(seen.map((root) => root.rootId)).toEqual([rootId])
    expect(seen[0]?.counts.total).toBe(500)
    expect(seen[0]?.jobs.map(({ url }) => url.name)).toEqual(
      names.filter((name) => name.startsWith('Needle')).slice(0, 12),
    )
  })

  test('finds pages before they are captured, and roots by their tags', async () => {
    const service = await startAccepting(await world())
    const { projectId } = service
    const ask = (name: string, tags: string[]) =>
      service.accept(1, {
        screenshotParameter: { ...newRequest().screenshotParameter, tags },
        urls: [{ url: 'https://example.com/x', name }],
      })
    const one = await ask('Needle', ['nightly', 'a&b="c"'])
    const other = await ask('Hay', ['weekly'])
    const list = async (question: Record<string, string>) => {
      const { roots } = await page(service, rootsUrl(projectId) + queryOf(question))
      const { ids } = await readAll(service, overviewsUrl(projectId) + queryOf({ ...question, limit: '1' }))
      expect(ids).toEqual(roots.map(({ rootId }) => rootId))
      return ids
    }
    expect(await list({ q: 'needle' })).toEqual([one])
    expect(await list({ tag: 'a&b="c"' })).toEqual([one])
    expect(await list({ tag: 'weekly', q: 'HAY' })).toEqual([other])
    expect(await list({ tag: 'weekly', q: 'needle' })).toEqual([])
    expect(await list({ tag: 'Weekly' })).toEqual([])
    expect((await list({ q: 'example.com/X' })).toSorted()).toEqual([one, other].toSorted())
    await finishNext(service.store, one, FAILED)
    expect(await list({ q: 'needle' })).toEqual([one])
    const overview = await page<RootOverview>(service, `${overviewsUrl(projectId)}?q=needle`)
    expect(overview.roots).toMatchObject([
      { rootId: one, state: 'failed', tags: ['nightly', 'a&b="c"'], jobs: [] },
    ])
  })
})

describe('a search', () => {
  test('stops after very many jobs, and its Link continues', async () => {
    const dataDir = await makeFolder()
    const projectId = await seedRows(dataDir, { roots: 24, jobsPerRoot: 50 })
    // The roots say how much there is to search: writing and reading all of it would show no more.
    await runSql({ dataDir, databaseUrl: '' }, 'update roots set job_count = 5000')
    const service = await startService({ DATA_DIR: dataDir })
    const rootId = await addNames(service, projectId, 1, ['Needle'])
    const first = await page(service, `${rootsUrl(projectId)}?q=needle&limit=10`)
    expect([first.roots.length, first.next]).toEqual([0, expect.stringContaining('q=needle')])
    const all = await readAll(service, `${rootsUrl(projectId)}?q=needle&limit=10`)
    expect([all.ids, all.pages]).toEqual([[rootId], 2])
    const { roots } = await page(service, `${rootsUrl(projectId)}?q=needle`)
    expect(roots.map((root) => root.rootId)).toEqual([rootId])
  })

  test('lets other requests in', async () => {
    const dataDir = await makeFolder()
    const projectId = await seedRows(dataDir, { roots: 9, jobsPerRoot: 4_000 })
    const service = await startService({ DATA_DIR: dataDir })
    const searching = service.get(`${rootsUrl(projectId)}?q=needle&limit=1`)
    let others = 0
    const done = searching.then(() => true)
    while (!(await Promise.race([done, service.get('/healthz').then((response) => !response.ok)]))) others++
    expect(others).toBeGreaterThan(3)
  })

  test.each(['root?q=needle', 'root?q=needle&limit=1', 'overview?q=needle', '../pages?q=needle'])(
    'ends when its client has gone: %s',
    async (question) => {
      const dataDir = await makeFolder()
      const projectId = await seedRows(dataDir, { roots: 100, jobsPerRoot: 100 })
      const service = await startService({ DATA_DIR: dataDir })
      let looks = 0
      const { matching, nextPages } = service.store.browsing
      Object.assign(service.store.browsing, {
        matching: (...given: Parameters<typeof matching>) => ++looks && matching(...given),
        nextPages: (...given: Parameters<typeof nextPages>) => ++looks && nextPages(...given),
      })
      const asking = new AbortController()
      const { signal } = asking
      const url = new URL(`/api/projects/${projectId}/screenshots/${question}`, service.url)
      const answer = fetch(url, { signal }).catch(() => 'gone')
      while (looks === 0) await sleep(1)
      asking.abort()
      expect(await answer).toBe('gone')
      while (!service.logLines.some((line) => line.includes('"aborted":true'))) await sleep(1)
      const after = looks
      await sleep(300)
      expect(looks).toBeLessThanOrEqual(after + 1)
    },
  )

  test('that was answered does not query the store again until something changes', async () => {
    const service = await startAccepting()
    const { projectId } = service
    await service.accept()
    const path = `${rootsUrl(projectId)}?q=page`
    const first = await service.get(path)
    const etag = first.headers.get('etag') ?? ''
    expect((await service.get(path, { 'if-none-match': etag })).status).toBe(304)
    await service.accept()
    const second = await service.get(path, { 'if-none-match': etag })
    expect([second.status, ((await second.json()) as unknown[]).length]).toEqual([200, 2])
  })

  test('for a text that is too long is 400', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    for (const name of ['q', 'tag']) {
      for (const url of [rootsUrl(projectId), overviewsUrl(projectId)]) {
        expect((await service.get(`${url}?${name}=${'x'.repeat(200)}`)).status).toBe(200)
        const response = await service.get(`${url}?${name}=${'x'.repeat(201)}`)
        expect([response.status, await response.json()]).toMatchObject([
          400,
          { errors: [{ parameter: name }] },
        ])
      }
    }
  })

  test('property: is 200 for any text, and its Link continues with the same query', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    const names: string[] = []
    const text = fc.oneof(
      fc.string({ unit: anyCharacter, minLength: 1, maxLength: 20 }),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
      fc.constantFrom('%', '_', '\\', "'", '"', '>', '<', '&', '#', '+', ' ', '%00', '?', '*', '['),
    )
    await fc.assert(
      fc.asyncProperty(text, async (q) => {
        if (!q.includes('\0')) {
          names.push(q)
          await addNames(service, projectId, 1, [q])
          await addNames(service, projectId, 2, [`${q}x`])
          const { ids } = await readAll(service, rootsUrl(projectId) + queryOf({ q, limit: '1' }))
          expect(ids.length).toBeGreaterThanOrEqual(2)
        } else {
          expect((await page(service, rootsUrl(projectId) + queryOf({ q }))).roots).toEqual([])
        }
      }),
      { numRuns: 40 },
    )
  })
})
