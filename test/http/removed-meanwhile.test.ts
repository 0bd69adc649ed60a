import { describe, expect, test } from 'vitest'
import type { RootResult } from '../../src/contract/results.ts'
import type { Store } from '../../src/store/store.ts'
import { startService, type TestService } from '../support/http/service.ts'
import { bothDatabases, runSql } from '../support/servers/databases.ts'
import { useDatabases } from '../support/servers/use-servers.ts'
import { addRows, makeProject, rootsUrl } from '../support/store/results.ts'

type Read = 'textsOf' | 'findPositions' | 'pageTexts'

/** Runs just before the first or second call of a method of the store. */
function justBefore(store: Store, read: Read, change: () => Promise<unknown>, time = 1): void {
  const ask = store[read] as (...args: unknown[]) => Promise<unknown>
  let times = 0
  Reflect.set(store, read, async (...args: unknown[]) => {
    if (++times === time) await change()
    return await ask.apply(store, args)
  })
}

describe.each(bothDatabases(useDatabases()))('%s: removal during an answer', (_, newDatabase) => {
  const makeRoots = async ({ store }: TestService, sizes: readonly number[]) => {
    const projectId = await makeProject(store)
    const rootIds: string[] = []
    // Newest first, as in the list.
    for (const [index, jobs] of sizes.entries())
      rootIds.push(await addRows(store, projectId, { created: 1_000 - index, jobs }))
    return { projectId, rootIds: rootIds as [string, ...string[]], path: rootsUrl(projectId) }
  }
  const start = async (...sizes: number[]) => {
    const service = await startService(await newDatabase())
    return { service, ...(await makeRoots(service, sizes)) }
  }
  const remove = (service: TestService, rootIds: readonly string[]) => {
    const those = `root_id in (${rootIds.map((rootId) => `'${rootId}'`).join(', ')})`
    return runSql(service, `begin; delete from jobs where ${those}; delete from roots where ${those}; commit`)
  }
  const listed = async (service: TestService, path: string) => {
    const list = (await (await service.get(path)).json()) as RootResult[]
    return list.map(({ rootId, jobs }) => [rootId, jobs.length])
  }

  test('a removed root is left out of the list, wherever it stands', async () => {
    const service = await startService(await newDatabase())
    const sizes = [2, 3, 110, 4, 120, 1]
    for (const gone of [[0], [1, 3], [2], [5], [4, 5], [0, 1, 2, 3, 4, 5]]) {
      const { rootIds, path } = await makeRoots(service, sizes)
      const removed = gone.map((index) => rootIds[index] as string)
      justBefore(service.store, 'textsOf', () => remove(service, removed))
      const all = rootIds.map((rootId, index) => [rootId, sizes[index]])
      expect(await listed(service, path)).toEqual(all.filter((_root, index) => !gone.includes(index)))
    }
  })

  test('a large root is left out of the list if nothing of it was sent yet', async () => {
    const service = await startService(await newDatabase())
    for (const read of ['findPositions', 'pageTexts'] as const) {
      const { rootIds, path } = await makeRoots(service, [1, 250, 2])
      justBefore(service.store, read, () => remove(service, rootIds.slice(1, 2)))
      expect(await listed(service, path)).toEqual([
        [rootIds[0], 1],
        [rootIds[2], 2],
      ])
    }
  })

  test('a large root that loses a job before anything of it was sent comes without that job', async () => {
    const { service, path, rootIds } = await start(250)
    const change = `delete from jobs where position = 7; update roots set revision = 'later', job_count = 249`
    justBefore(service.store, 'pageTexts', () => runSql(service, `begin; ${change}; commit`))
    const response = await service.get(`${path}/${rootIds[0]}`)
    expect(response.headers.get('etag')).toContain('"later.')
    expect(((await response.json()) as RootResult).jobs).toHaveLength(249)
  })

  test('the list breaks off if a large root is removed after a part of it was sent', async () => {
    const service = await startService(await newDatabase())
    for (const isList of [true, false]) {
      const { path, rootIds } = await makeRoots(service, [250, 1])
      justBefore(service.store, 'pageTexts', () => remove(service, rootIds), 2)
      const response = await service.get(isList ? path : `${path}/${rootIds[0]}`)
      expect(response.status).toBe(200)
      await expect(response.text()).rejects.toThrow()
    }
    expect(service.logLines.filter((line) => line.includes('removed while it was read'))).toHaveLength(2)
  })

  test('the list breaks off if another root takes the id of a large one', async () => {
    const { service, projectId, path, rootIds } = await start(250)
    const [rootId] = rootIds
    const replace = async () => {
      await remove(service, rootIds)
      await addRows(service.store, projectId, { rootId, jobs: 250 })
      await runSql(service, `update roots set digest = 'another'`)
    }
    justBefore(service.store, 'pageTexts', replace, 2)
    const response = await service.get(`${path}/${rootId}`)
    await expect(response.text()).rejects.toThrow()
  })

  test('a root that is removed between its look-up and its jobs is not found', async () => {
    const service = await startService(await newDatabase())
    for (const [jobs, read] of [
      [3, 'textsOf'],
      [250, 'findPositions'],
      [250, 'pageTexts'],
    ] as const) {
      const { path, rootIds } = await makeRoots(service, [jobs])
      justBefore(service.store, read, () => remove(service, rootIds))
      expect([read, (await service.get(`${path}/${rootIds[0]}`)).status]).toEqual([read, 404])
    }
  })

  test('a cached answer does not bring a removed root back', async () => {
    const { service, path, rootIds } = await start(3, 250)
    for (const rootId of rootIds) await (await service.get(`${path}/${rootId}`)).text()
    await remove(service, rootIds)
    for (const rootId of rootIds) expect((await service.get(`${path}/${rootId}`)).status).toBe(404)
    expect(await listed(service, path)).toEqual([])
  })
})
