import { describe, expect, test } from 'vitest'
import { conceal } from '../../src/contract/options/secrets.ts'
import { optionsOfPage } from '../../src/contract/options-of-page.ts'
import type { CaptureTask, RequestedPage, RootProgress } from '../../src/store/captures.ts'
import type { Store } from '../../src/store/store.ts'
import { ALL_OPTIONS } from '../support/store/all-options.ts'
import { FAILURE, newRequest, PICTURE, somePages, takeAll } from '../support/store/captures.ts'
import { makeProject, newJob } from '../support/store/results.ts'
import { newRoot } from './new-root.ts'
import { DIED, LEASE, NOW } from './open-captures.ts'
import type { ReadRows, StoreDriver } from './store-driver.ts'

const { options: OPTIONS } = conceal(ALL_OPTIONS)
const SEALED = ['1.k1.first', '1.k1.second', '1.k1.third']

/** What every store does with sealed secrets. `rows`: read past the store. */
export function secretsSuite(name: string, driver: StoreDriver, rows: ReadRows): void {
  const read = async (place: string) =>
    (await rows(place, 'select sealed from secrets order by sealed')).map((row) => String(row['sealed']))
  const open = async () => {
    const place = await driver.newPlace()
    const store = await driver.open(place)
    const projectId = await makeProject(store)
    return { store, captures: store.captures, projectId, kept: () => read(place) }
  }
  /** A request for three pages, each with secrets. */
  const accept = async ({ captures }: Store, projectId: string) => {
    const pages = somePages(3).map((page, position) => ({ ...page, sealed: SEALED[position] }))
    const { tags, headers } = OPTIONS
    return await captures.accept({ ...newRequest(projectId, { options: { tags, headers } }), pages })
  }
  const begin = async (store: Store, projectId: string) => {
    const rootId = await accept(store, projectId)
    return { rootId, tasks: (await takeAll(store, LEASE)) as [CaptureTask, CaptureTask, CaptureTask] }
  }

  describe(`${name}: sealed secrets`, () => {
    test('are stored with their pages, and given only to attempts at the page', async () => {
      const { store, projectId, kept } = await open()
      await store.captures.accept(newRequest(projectId))
      const { rootId, tasks } = await begin(store, projectId)
      expect((tasks as CaptureTask[]).map(({ sealed }) => sealed)).toEqual([undefined, ...SEALED])
      expect(await kept()).toEqual(SEALED)
      const progress = await store.captures.findProgress(projectId, rootId)
      const changes = await store.captures.findChanges(projectId, rootId, 0)
      const requests = await store.browsing.requestsOf(projectId, [rootId])
      expect(JSON.stringify([progress, changes, ...requests])).not.toContain('1.k1')
    })

    test('of a repeated request are not stored twice', async () => {
      const { store, captures, projectId, kept } = await open()
      const request = { ...newRequest(projectId, { idempotencyKey: 'key', digest: 'new:1' }) }
      const pages = somePages(1).map((page) => ({ ...page, sealed: '1.k1.one' }))
      const first = await captures.accept({ ...request, pages })
      const again = { ...newRequest(projectId, { idempotencyKey: 'key', digest: 'newer:1' }), pages }
      expect(await captures.accept({ ...again, olderDigests: ['other', 'new:1'] })).toBe(first)
      const unknown = captures.accept({ ...again, olderDigests: ['other'] })
      await expect(unknown).rejects.toMatchObject({ code: 'conflict' })
      expect(await kept()).toEqual(['1.k1.one'])
      expect(await store.pageRoots(projectId, { limit: 9 })).toHaveLength(1)
    })

    test('are removed when the page is done or failed, but not by an attempt that is not the last', async () => {
      const { store, captures, projectId, kept } = await open()
      const { tasks } = await begin(store, projectId)
      const [one, two, three] = tasks
      await captures.finish(one, PICTURE, NOW)
      expect(await kept()).toEqual(SEALED.slice(1))
      await captures.finish(two, FAILURE, NOW)
      expect(await kept()).toEqual(SEALED.slice(2))
      expect(await captures.putBack(three, DIED)).toBe(true)
      expect(await captures.finish(three, PICTURE, NOW)).toBe(false)
      expect(await kept()).toEqual(SEALED.slice(2))
      const again = (await captures.takeNext(LEASE)) as CaptureTask
      expect([again.position, again.sealed]).toEqual([2, SEALED[2]])
      await captures.finish(again, FAILURE, NOW)
      expect(await kept()).toEqual([])
    })

    test('stay if the end of the page cannot be written', async () => {
      const { store, captures, projectId, kept } = await open()
      const { rootId, tasks } = await begin(store, projectId)
      // Its job cannot be added: another root has the id.
      const [{ uuid }] = tasks
      await store.addRoot(newRoot(projectId, { jobs: [newJob({ uuid })] }), async () => {})
      await expect(captures.finish(tasks[0], PICTURE, NOW)).rejects.toThrow()
      expect(await kept()).toEqual(SEALED)
      const progress = await captures.findProgress(projectId, rootId)
      expect(progress?.captures[0]?.state).toBe('running')
    })

    test('are removed with their root, with their project, and with nothing else', async () => {
      const { store, projectId, kept } = await open()
      const other = await makeProject(store)
      const rootId = await accept(store, projectId)
      await accept(store, other)
      await captureOne(store, projectId, rootId)
      expect(await kept()).toEqual([...SEALED, ...SEALED.slice(1)].sort())
      await Array.fromAsync(store.removals.removeRoot(projectId, rootId, NOW))
      expect(await kept()).toEqual(SEALED)
      await Array.fromAsync(store.removals.removeProject(other, NOW))
      expect(await kept()).toEqual([])
    })

    test('are not part of a copy', async () => {
      const { store, captures, projectId, kept } = await open()
      const { rootId, tasks } = await begin(store, projectId)
      for (const task of tasks) await captures.finish(task, FAILURE, NOW)
      const progress = await captures.findProgress(projectId, rootId)
      const copy = await open()
      await copy.store.addRoot({ ...newRequest(copy.projectId), rootId, jobs: [] }, async () => {})
      await copy.captures.adopt(copy.projectId, rootId, progress as RootProgress)
      expect(await copy.captures.findProgress(copy.projectId, rootId)).toMatchObject({
        options: { headers: { authorization: '' } },
        captures: [{ state: 'failed' }, { state: 'failed' }, { state: 'failed' }],
      })
      expect([await kept(), await copy.kept()]).toEqual([[], []])
    })
  })

  test(`${name}: every option of a request and of a page is read as it was stored`, async () => {
    const { store, captures, projectId } = await open()
    const { tags: _, ...own } = OPTIONS
    const [page] = somePages(1) as [RequestedPage]
    const request = newRequest(projectId, { options: OPTIONS })
    await captures.accept({ ...request, pages: [page, { ...page, ownOptions: own }] })
    const progress = await captures.findProgress(projectId, request.rootId)
    expect(progress?.options).toEqual(OPTIONS)
    expect(progress?.captures.map(({ ownOptions }) => ownOptions)).toEqual([undefined, own])
    const tasks = await takeAll(store, LEASE)
    expect(tasks.map(({ options }) => options)).toEqual([optionsOfPage(OPTIONS, undefined), own])
    expect(
      (await store.browsing.requestsOf(projectId, [request.rootId])).get(request.rootId)?.options,
    ).toEqual(OPTIONS)
  })
}

async function captureOne({ captures }: Store, projectId: string, rootId: string) {
  const done = (await captures.takeNext({ ...LEASE, rootId })) as CaptureTask
  await captures.finish(done, PICTURE, NOW)
  return { done, projectId }
}
