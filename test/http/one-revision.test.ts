import { hash, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { RootResult } from '../../src/contract/results.ts'
import type { Attempt } from '../../src/store/captures.ts'
import type { Store } from '../../src/store/store.ts'
import { startService, type TestService } from '../support/http/service.ts'
import { bothDatabases, runSql } from '../support/servers/databases.ts'
import { useDatabases } from '../support/servers/use-servers.ts'
import { newRequest, PICTURE } from '../support/store/captures.ts'
import { makeProject, rootsUrl } from '../support/store/results.ts'

/** More jobs than one piece of an answer holds. */
const PAGES = 200
/** Pages end in another order than that of the request. */
const STRIDE = 7
const NOW = 1_700_000_000_000

/** `then` runs after every query, before its result is used. */
function afterEachRead(store: Store, then: () => Promise<void>): void {
  for (const [name, read] of Object.entries(store)) {
    if (typeof read !== 'function' || !/^(find|page|texts)/.test(name)) continue
    Reflect.set(store, name, async (...args: unknown[]) => {
      const answer: unknown = await Reflect.apply(read, store, args)
      await then()
      return answer
    })
  }
}

/** Attempts at all pages, in the order in which they will end. They bypass the queue, which takes one at a time. */
async function beginAll(
  service: TestService,
  root: { projectId: string; rootId: string },
): Promise<readonly Attempt[]> {
  const order = Array.from({ length: PAGES }, (_, index) => ({
    ...root,
    position: (index * STRIDE) % PAGES,
    uuid: randomUUID(),
  }))
  const begin = order.map(
    ({ rootId, position, uuid }) =>
      `update captures set state = 'running', attempts = 1, attempt = '${uuid}', started = ${NOW}, lease = ${NOW}
       where root_id = '${rootId}' and position = ${position};`,
  )
  await runSql(service, `begin; ${begin.join('\n')} commit`)
  return order
}

describe.each(bothDatabases(useDatabases()))('%s', (_, newDatabase) => {
  test('a root of 200 pages that grows between two queries gives answers of a single revision', async () => {
    // Nothing else works on the queue, or puts long attempts back.
    const env = { ...(await newDatabase()), CAPTURE_CONCURRENCY: '0' }
    const keeping = await startService(env)
    const forgetful = await startService({ ...env, DATA_DIR: keeping.dataDir, CACHE_BYTES: '0' })
    const { store } = keeping
    const { captures } = store
    const projectId = await makeProject(store)
    const rootId = await captures.accept(newRequest(projectId, { pages: PAGES }))
    const order = await beginAll(keeping, { projectId, rootId })
    let finished = 0
    let begun = 0
    let writing = Promise.resolve()
    const finishNext = () => {
      writing = writing.then(async () => {
        const next = order[finished]
        if (!next) return
        begun++
        expect(await captures.finish(next, PICTURE, NOW)).toBe(true)
        finished++
      })
      return writing
    }
    for (const service of [keeping, forgetful]) afterEachRead(service.store, finishNext)

    const bodies = new Map<string, string>()
    /** Answers with the same ETag have the same bytes. */
    const remember = (etag: string, body: string) => {
      const digest = hash('sha256', body)
      expect(bodies.get(etag) ?? digest).toBe(digest)
      bodies.set(etag, digest)
    }
    /** The jobs are those finished at one moment since the request. */
    const check = (root: RootResult, before: number) => {
      const count = root.jobs.length
      const expected = order.slice(0, count).toSorted((one, other) => one.position - other.position)
      expect(root.jobs.map(({ uuid }) => uuid)).toEqual(expected.map(({ uuid }) => uuid))
      expect(count).toBeGreaterThanOrEqual(before)
      expect(count).toBeLessThanOrEqual(begun)
    }
    const path = `${rootsUrl(projectId)}/${rootId}`
    const readRoot = async (service: TestService) => {
      const before = finished
      const response = await service.get(path)
      const body = await response.text()
      check(JSON.parse(body), before)
      remember(`${service.url} ${response.headers.get('etag')}`, body)
    }
    const readPage = async (service: TestService) => {
      const response = await service.get(`${path}?limit=50`)
      remember(`page ${service.url} ${response.headers.get('etag')}`, await response.text())
    }
    const readList = async (service: TestService) => {
      const before = finished
      const list = (await (await service.get(rootsUrl(projectId))).json()) as RootResult[]
      expect(list).toHaveLength(1)
      for (const root of list) check(root, before)
    }
    const readAll = async (service: TestService) => {
      // Together, so that one uses a cached answer of the other.
      await Promise.all([readRoot(service), readRoot(service), readList(service), readList(service)])
      await readPage(service)
    }
    let answers = 0
    for (; finished < PAGES; answers++) await Promise.all([readAll(keeping), readAll(forgetful)])
    await Promise.all([readAll(keeping), readAll(forgetful)])
    expect(answers).toBeGreaterThan(3)
  })
})
