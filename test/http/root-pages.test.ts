import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RootResult } from '../../src/contract/results.ts'
import { decodePosition, encodePosition } from '../../src/results/root-list-pages.ts'
import { bothDatabases, DONE, FAILED, finishNext, startAccepting } from '../support/http/requests.ts'
import { startService, type TestService } from '../support/http/service.ts'
import { anyCharacter } from '../support/runner/any-character.ts'
import { usePostgres } from '../support/servers/use-servers.ts'
import { addRows, makeKey, makeProject, rootsUrl } from '../support/store/results.ts'

const postgres = usePostgres()

async function readPages(service: TestService, first: string): Promise<RootResult[]> {
  const pages: RootResult[] = []
  for (let path: string | undefined = first; path; ) {
    const response = await service.get(path)
    expect([path, response.status]).toEqual([path, 200])
    pages.push((await response.json()) as RootResult)
    path = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1]
  }
  return pages
}

async function serviceWithJobs(jobs: number, env: Record<string, string> = {}) {
  const service = await startService(env)
  const projectId = await makeProject(service.store)
  const rootId = await addRows(service.store, projectId, { jobs })
  return { service, projectId, rootId, path: `${rootsUrl(projectId)}/${rootId}` }
}

describe.each(bothDatabases(postgres))('the jobs of one root in list pages (%s)', (_, world) => {
  test.each([0, 1, 7, 250])(
    '%i jobs: each is listed once, in order, in the shape of the root',
    async (jobs) => {
      const { service, path } = await serviceWithJobs(jobs, await world())
      const whole = (await (await service.get(path)).json()) as RootResult
      for (const limit of [1, 7, 100].filter((each) => jobs / each < 60)) {
        const pages = await readPages(service, `${path}?limit=${limit}`)
        expect(pages.flatMap((page) => page.jobs)).toEqual(whole.jobs)
        expect(pages).toHaveLength(Math.max(1, Math.ceil(jobs / limit)))
        for (const page of pages) expect({ ...page, jobs: whole.jobs }).toEqual(whole)
      }
    },
  )

  test('jobs at positions with gaps', async () => {
    const service = await startAccepting(await world())
    const rootId = await service.accept(9)
    for (let page = 0; page < 9; page++) {
      await finishNext(service.store, rootId, ...(page % 3 === 1 ? [] : [FAILED]))
    }
    const pages = await readPages(service, `${rootsUrl(service.projectId)}/${rootId}?limit=1`)
    expect(pages.map(({ jobs }) => jobs.map(({ url }) => url.name))).toEqual([
      ['Page 1'],
      ['Page 4'],
      ['Page 7'],
    ])
  })
})

describe('the jobs of one root in list pages', () => {
  test('without limit and cursor, the whole root is sent without a Link', async () => {
    const { service, path } = await serviceWithJobs(150)
    const whole = await service.get(path)
    const other = await service.get(`${path}?offset=3`)
    expect([whole.headers.get('link'), other.headers.get('link')]).toEqual([null, null])
    expect(await other.text()).toBe(await whole.text())
  })

  test('a cursor alone continues with PAGE_LIMIT, and upper case is accepted', async () => {
    const { service, projectId, rootId, path } = await serviceWithJobs(10, { PAGE_LIMIT: '4' })
    const upper = `${rootsUrl(projectId.toUpperCase())}/${rootId.toUpperCase()}`
    const [first, second] = await readPages(service, `${upper}?limit=3`)
    const whole = (await (await service.get(path)).json()) as RootResult
    expect([first?.jobs, second?.jobs]).toEqual([whole.jobs.slice(0, 3), whole.jobs.slice(3, 6)])
    const [rest] = await readPages(service, `${path}?cursor=${encodePosition(3)}`)
    expect(rest?.jobs).toEqual(whole.jobs.slice(3, 7))
    const [beyond] = await readPages(service, `${path}?cursor=${encodePosition(2 ** 31 - 1)}`)
    expect(beyond?.jobs).toEqual([])
  })

  test('a list page has the ETag of the root; HEAD is GET without a body', async () => {
    const { service, path } = await serviceWithJobs(5)
    const get = await service.get(`${path}?limit=2`)
    const etag = get.headers.get('etag') ?? ''
    expect(etag).toBe((await service.get(path)).headers.get('etag'))
    const again = await service.get(`${path}?limit=2`, { 'if-none-match': etag })
    expect([again.status, again.headers.get('link')]).toEqual([304, get.headers.get('link')])
    const head = await fetch(`${service.url}${path}?limit=2`, { method: 'HEAD' })
    expect([head.status, head.headers.get('link'), await head.text()]).toEqual([
      200,
      get.headers.get('link'),
      '',
    ])
  })

  test('a bad value is 400 and names its parameter', async () => {
    const { service, path } = await serviceWithJobs(1)
    for (const value of ['0', '-1', '101', '1.5', 'x', '']) {
      const response = await service.get(`${path}?limit=${value}`)
      expect([value, response.status, await response.json()]).toMatchObject([
        value,
        400,
        { code: 'bad_request', errors: [{ parameter: 'limit' }] },
      ])
    }
    for (const value of ['', 'x', 'LTE', 'MS41', 'MDE', 'MQ=', 'MQ==', 'MjE0NzQ4MzY0OA', 'x'.repeat(201)]) {
      expect([value, (await service.get(`${path}?cursor=${value}`)).status]).toEqual([value, 400])
    }
  })

  test('anything unknown or of another project is the usual 404', async () => {
    const service = await startService({ AUTH: 'keys' })
    const [mine, theirs] = [await makeProject(service.store), await makeProject(service.store)]
    const foreign = await addRows(service.store, theirs)
    const { secret: authorization } = await makeKey(service.store, mine)
    const ask = async (path: string) => {
      const response = await service.get(path, { authorization })
      return [response.status, (await response.text()).replace(/"requestId":"[^"]+"/, '')]
    }
    const nothing = await ask(`${rootsUrl(mine)}/${randomUUID()}`)
    for (const path of [
      `${rootsUrl(mine)}/${foreign}`,
      `${rootsUrl(theirs)}/${foreign}`,
      `${rootsUrl(mine)}/x`,
    ]) {
      expect([path, await ask(`${path}?limit=1`)]).toEqual([path, nothing])
    }
    expect((await service.get(`${rootsUrl(mine)}/${foreign}?limit=0`)).status).toBe(401)
  })

  test('property: a position is decoded to its value, and has only one spelling', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 ** 31 - 1 }), fc.string({ unit: anyCharacter }), (from, text) => {
        expect(decodePosition(encodePosition(from))).toBe(from)
        expect(() => decodePosition(`${encodePosition(from)}=`)).toThrow()
        const spelled = Buffer.from(text).toString('base64url')
        if (!/^(0|[1-9]\d{0,9})$/.test(text)) expect(() => decodePosition(spelled)).toThrow()
      }),
    )
  })

  test('a job that is added while someone reads is on the list page of its position', async () => {
    const service = await startAccepting()
    const rootId = await service.accept(3)
    const [first, second, third] = [
      await service.store.captures.takeNext({ now: 1, leaseMs: 1e12, rootId }),
      await service.store.captures.takeNext({ now: 1, leaseMs: 1e12, rootId }),
      await service.store.captures.takeNext({ now: 1, leaseMs: 1e12, rootId }),
    ]
    const picture = { ...DONE, width: 1, height: 1, basepath: '' }
    for (const task of [first, third]) if (task) await service.store.captures.finish(task, picture, 2)
    const path = `${rootsUrl(service.projectId)}/${rootId}?limit=1`
    const page = await service.get(path)
    const next = /^<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
    if (second) await service.store.captures.finish(second, picture, 3)
    const names = (await readPages(service, next)).flatMap(({ jobs }) => jobs.map(({ url }) => url.name))
    expect(names).toEqual(['Page 1', 'Page 2'])
  })
})
