import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PageSummary } from '../../src/contract/browsing.ts'
import type { JobResult, RootResult } from '../../src/contract/results.ts'
import { bothDatabases, finishNext, startAccepting } from '../support/http/requests.ts'
import { startService, type TestService } from '../support/http/service.ts'
import { anyCharacter } from '../support/runner/any-character.ts'
import { usePostgres } from '../support/servers/use-servers.ts'
import { addRows, makeKey, makeProject, newJob, rootsUrl } from '../support/store/results.ts'

const postgres = usePostgres()

const pagesUrl = (projectId: string) => `/api/projects/${projectId}/pages`
const historyUrl = (projectId: string, url: string, more = '') =>
  `${pagesUrl(projectId)}/history?url=${encodeURIComponent(url)}${more}`

async function read<T>(
  service: TestService,
  path: string,
): Promise<{ items: T[]; next: string | undefined }> {
  const response = await service.get(path)
  expect([path, response.status]).toEqual([path, 200])
  const next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1]
  return { items: (await response.json()) as T[], next }
}

async function readAll<T>(service: TestService, first: string): Promise<T[]> {
  const all: T[] = []
  for (let path: string | undefined = first; path; ) {
    const page: { items: T[]; next: string | undefined } = await read<T>(service, path)
    all.push(...page.items)
    path = page.next
  }
  return all
}

interface Shot {
  readonly url: string
  readonly name?: string
  readonly created: number
}

async function add(service: TestService, projectId: string, shots: readonly Shot[]): Promise<string> {
  const rootId = randomUUID()
  const jobs = shots.map((shot) => newJob(shot))
  await service.store.addRoot({ projectId, rootId, created: 1, digest: rootId, jobs }, async () => {})
  return rootId
}

describe.each(bothDatabases(postgres))('pages (%s)', (_, world) => {
  test('are listed once for each URL, with their figures and their history', async () => {
    const service = await startService(await world())
    const projectId = await makeProject(service.store)
    const [one, other, third] = [
      'https://example.com/',
      'https://example.com/über?a=1&b=2',
      'http://example.com/',
    ]
    await add(service, projectId, [
      { url: one, name: 'Home', created: 10 },
      { url: other, name: 'Alt', created: 11 },
    ])
    await add(service, projectId, [
      { url: other, name: 'Neu', created: 30 },
      { url: third, name: 'Dritte', created: 5 },
    ])
    await add(service, projectId, [
      { url: other, name: 'Mitte', created: 20 },
      { url: one, name: 'Start', created: 9 },
    ])
    const jobs = ((await (await service.get(rootsUrl(projectId))).json()) as RootResult[]).flatMap(
      (root) => root.jobs,
    )
    const job = (created: number) => jobs.find((each) => each.meta.created === created)
    const expected = [
      { url: third, name: 'Dritte', pictures: 1, oldest: 5, newest: 5, latest: job(5) },
      { url: one, name: 'Home', pictures: 2, oldest: 9, newest: 10, latest: job(10) },
      { url: other, name: 'Neu', pictures: 3, oldest: 11, newest: 30, latest: job(30) },
    ]
    for (const query of ['', '?limit=1', '?limit=2', '?limit=3', '?q=']) {
      expect(await readAll(service, pagesUrl(projectId) + query)).toEqual(expected)
    }
    const text = await (await service.get(pagesUrl(projectId))).text()
    expect(text).toBe(JSON.stringify(expected))
    for (const query of ['', '&limit=1', '&limit=2']) {
      expect(await readAll(service, historyUrl(projectId, other, query))).toEqual([job(30), job(20), job(11)])
    }
    expect(await readAll(service, `${pagesUrl(projectId)}?q=NEU&limit=1`)).toEqual([expected[2]])
    expect(await readAll(service, `${pagesUrl(projectId)}?q=%C3%9CBER`)).toEqual([expected[2]])
    // Its former name is no longer found.
    expect(await readAll(service, `${pagesUrl(projectId)}?q=mitte`)).toEqual([])
    expect(await readAll(service, `${pagesUrl(projectId)}?q=a%00b`)).toEqual([])
  })

  test('that share an instant are listed once each', async () => {
    const service = await startService(await world())
    const projectId = await makeProject(service.store)
    for (let root = 0; root < 3; root++) {
      const shots = Array.from({ length: 40 }, (_, index) => ({
        url: `https://example.com/${index % 20}`,
        created: index % 2,
      }))
      await add(service, projectId, shots)
    }
    const pages = await readAll<PageSummary>(service, `${pagesUrl(projectId)}?limit=7`)
    expect(pages.map(({ url, pictures }) => [url, pictures])).toEqual(
      Array.from({ length: 20 }, (_, index) => [`https://example.com/${index}`, 6]).toSorted(),
    )
    const history = await readAll<JobResult>(
      service,
      historyUrl(projectId, 'https://example.com/3', '&limit=4'),
    )
    expect(new Set(history.map(({ uuid }) => uuid)).size).toBe(6)
    const roots = await readAll<RootResult>(service, rootsUrl(projectId))
    const place = new Map(roots.flatMap(({ jobs }) => jobs.map(({ uuid }, index) => [uuid, index])))
    const placeOf = ({ uuid }: JobResult) => place.get(uuid) ?? Number.NaN
    expect(history).toEqual(
      history.toSorted(
        (a, b) => b.meta.created - a.meta.created || placeOf(a) - placeOf(b) || (a.uuid < b.uuid ? -1 : 1),
      ),
    )
  })

  test('that are captured again have one picture more, and another ETag', async () => {
    const service = await startAccepting(await world())
    const { projectId } = service
    const url = 'https://example.com/0'
    expect(await readAll(service, pagesUrl(projectId))).toEqual([])
    const etags = new Set<string | null>()
    for (let pictures = 1; pictures <= 3; pictures++) {
      await finishNext(service.store, await service.accept())
      const response = await service.get(pagesUrl(projectId))
      expect(await response.json()).toMatchObject([{ url, pictures }])
      const etag = response.headers.get('etag')
      etags.add(etag)
      expect((await service.get(pagesUrl(projectId), { 'if-none-match': etag ?? '' })).status).toBe(304)
      expect(await readAll(service, historyUrl(projectId, url))).toHaveLength(pictures)
    }
    expect(etags.size).toBe(3)
  })

  test('property: are listed and have a history, whatever their URL', async () => {
    const service = await startAccepting(await world())
    const texts = fc.oneof(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.webUrl().map((url) => `${url}?${'x'.repeat(7_000)}`),
      fc.string({ unit: 'grapheme-composite', maxLength: 50 }).map((text) => `https://example.com/?${text}`),
    )
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(texts, { minLength: 1, maxLength: 4 }), async (urls) => {
        const projectId = await makeProject(service.store)
        const plain = urls.filter((url) => !url.includes('\0') && encodeURIComponent(url).length < 15_000)
        await add(
          service,
          projectId,
          plain.map((url) => ({ url, created: 1 })),
        )
        const pages = await readAll<PageSummary>(service, `${pagesUrl(projectId)}?limit=1`)
        expect(pages.map(({ url }) => url)).toEqual(
          plain.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
        )
        for (const { url, latest } of pages) {
          expect(await readAll(service, historyUrl(projectId, url))).toEqual([latest])
        }
      }),
      { numRuns: 20 },
    )
  })
})

describe('pages', () => {
  test('with more than a thousand pictures are counted up to a limit', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    const shots = (count: number, url: string) =>
      Array.from({ length: count }, (_, created) => ({ url, created }))
    await add(service, projectId, [
      ...shots(999, 'http://a/'),
      ...shots(1_000, 'http://b/'),
      ...shots(1_001, 'http://c/'),
    ])
    const pages = await readAll<PageSummary>(service, pagesUrl(projectId))
    expect(pages.map(({ pictures, oldest, newest }) => [pictures, oldest, newest])).toEqual([
      [999, 0, 998],
      [1_000, 0, 999],
      [1_000, 0, 1_000],
    ])
  })

  test('HEAD is GET without a body, other methods are 405', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    await add(
      service,
      projectId,
      [1, 2].map((created) => ({ url: `http://x/${created}`, created })),
    )
    for (const path of [`${pagesUrl(projectId)}?limit=1`, historyUrl(projectId, 'http://x/1')]) {
      const [get, head] = [await service.get(path), await fetch(service.url + path, { method: 'HEAD' })]
      for (const name of ['etag', 'cache-control', 'content-type', 'link']) {
        expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)])
      }
      expect([head.status, await head.text(), get.headers.get('cache-control')]).toEqual([
        200,
        '',
        'private, no-cache',
      ])
      const other = await fetch(service.url + path, { method: 'POST' })
      expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
  })

  test('a bad value is 400; the history of an unknown URL is empty', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    const foreign = newJob()
    await service.store.addRoot(
      {
        projectId: await makeProject(service.store),
        rootId: randomUUID(),
        created: 1,
        digest: 'x',
        jobs: [foreign],
      },
      async () => {},
    )
    for (const query of [
      'limit=0',
      'limit=101',
      'cursor=',
      'cursor=x',
      `cursor=${randomUUID()}`,
      `cursor=${foreign.uuid}`,
      `cursor=${'x'.repeat(201)}`,
      `q=${'x'.repeat(201)}`,
    ]) {
      expect([query, (await service.get(`${pagesUrl(projectId)}?${query}`)).status]).toEqual([query, 400])
    }
    for (const query of [
      '',
      '?url=',
      '?limit=5',
      `?url=${'x'.repeat(8_193)}`,
      '?url=x&cursor=x',
      '?url=x&limit=0',
    ]) {
      expect([query, (await service.get(`${pagesUrl(projectId)}/history${query}`)).status]).toEqual([
        query,
        400,
      ])
    }
    for (const url of ['x', foreign.url, 'a\0b', 'x'.repeat(8_192)]) {
      expect(await readAll(service, historyUrl(projectId, url))).toEqual([])
    }
  })

  test('are the same 404 for anything unknown, malformed or of another project', async () => {
    const service = await startService({ AUTH: 'keys' })
    const [mine, theirs] = [await makeProject(service.store), await makeProject(service.store)]
    await addRows(service.store, theirs)
    const { secret: authorization } = await makeKey(service.store, mine)
    const ask = async (path: string) => {
      const response = await service.get(path, { authorization })
      return [response.status, (await response.text()).replace(/"requestId":"[^"]+"/, '')]
    }
    const nothing = await ask(`${rootsUrl(mine)}/${randomUUID()}`)
    for (const projectId of [theirs, randomUUID(), 'x']) {
      expect(await ask(pagesUrl(projectId))).toEqual(nothing)
      expect(await ask(historyUrl(projectId, 'https://example.com/'))).toEqual(nothing)
    }
    expect(await ask(pagesUrl(mine))).toEqual([200, '[]'])
    expect(await ask(historyUrl(mine, 'https://example.com/'))).toEqual([200, '[]'])
    expect((await service.get(pagesUrl(mine))).status).toBe(401)
    expect((await service.get(historyUrl(mine, 'x'))).status).toBe(401)
  })

  test('property: are 200 or 400 with any cursor', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    await addRows(service.store, projectId)
    const cursors = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 60 }), fc.uuid(), fc.base64String())
    await fc.assert(
      fc.asyncProperty(cursors, async (cursor) => {
        const text = encodeURIComponent(cursor)
        for (const path of [
          `${pagesUrl(projectId)}?cursor=${text}`,
          historyUrl(projectId, 'x', `&cursor=${text}`),
        ]) {
          expect([200, 400]).toContain((await service.get(path)).status)
        }
      }),
      { numRuns: 50 },
    )
  })
})
