import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { hashApiKey } from '../../src/store/api-key.ts'
import type { CaptureTask } from '../../src/store/captures.ts'
import type { Store } from '../../src/store/store.ts'
import { FAILURE, newRequest, newSeen, PICTURE, takeAll } from '../support/store/captures.ts'
import { addRows, makeKey, makeProject, newJob } from '../support/store/results.ts'
import type { StoreDriver } from './store-driver.ts'

const NOW = 1_700_000_100_000
const LEASE = { now: NOW, leaseMs: 20_000 }
const IDLE = { waiting: 0, running: 0, oldest: undefined }

const removeRoot = async ({ removals }: Store, projectId: string, rootId: string) =>
  await Array.fromAsync(removals.removeRoot(projectId, rootId, NOW))
const removeProject = async ({ removals }: Store, projectId: string) =>
  (await Array.fromAsync(removals.removeProject(projectId, NOW))).flat()

/** Every answer of the store about a root. */
async function expectNothingOf(store: Store, projectId: string, rootId: string): Promise<void> {
  expect(await store.findRoot(projectId, rootId)).toBeUndefined()
  expect(await store.jobsOf(projectId, [rootId])).toEqual([])
  expect(await store.textsOf(projectId, [rootId])).toEqual(new Map())
  expect(await store.pageTexts(projectId, rootId, { from: 0, limit: 9 })).toBeUndefined()
  expect(await store.captures.findProgress(projectId, rootId)).toBeUndefined()
  expect(await store.captures.findChanges(projectId, rootId, 0)).toBeUndefined()
  expect(await store.captures.findVersion(projectId, rootId)).toBeUndefined()
  expect(await store.browsing.requestsOf(projectId, [rootId])).toEqual(new Map())
  expect((await store.browsing.firstTexts(projectId, [rootId], { limit: 9 })).get(rootId) ?? []).toEqual([])
  expect(await store.browsing.matching(projectId, [rootId], { q: 'example' })).toEqual(new Set())
  const events = await store.events.read(projectId, { after: 0, limit: 1_000 })
  expect(events.filter((event) => event.rootId === rootId)).toEqual([])
}

/** What every store must do when something is removed. */
export function removalSuite(name: string, driver: StoreDriver): void {
  const open = async (options?: { clock: () => number }) => {
    const store = await driver.open(await driver.newPlace(), options)
    return { store, captures: store.captures, projectId: await makeProject(store) }
  }
  /** A root with one page done, one failed, one running and one waiting. */
  const capture = async (store: Store, projectId: string) => {
    const request = newRequest(projectId, { pages: 4, idempotencyKey: 'key' })
    const { rootId } = request
    await store.captures.accept(request)
    const take = async () => (await store.captures.takeNext({ ...LEASE, rootId })) as CaptureTask
    const [done, failed, underWay] = [await take(), await take(), await take()]
    await store.captures.finish(done, { ...PICTURE, seen: newSeen({ marks: ['cut'] }) }, NOW)
    await store.captures.finish(failed, FAILURE, NOW)
    return { request, rootId, done, underWay }
  }

  describe(`${name}: removing a root`, () => {
    test('removes all of its rows in one transaction, and nothing else', async () => {
      const { store, captures, projectId } = await open()
      const other = await addRows(store, projectId, { jobs: 2 })
      const { request, rootId, done } = await capture(store, projectId)
      const before = await store.findProject(projectId)
      expect(await removeRoot(store, projectId, rootId)).toEqual([[done.uuid]])
      await expectNothingOf(store, projectId, rootId)
      expect((await store.findProject(projectId))?.revision).not.toBe(before?.revision)
      expect((await store.pageRoots(projectId, { limit: 9 })).map((root) => root.rootId)).toEqual([other])
      expect(await store.countProjects()).toMatchObject([{ roots: 1, jobs: 2 }])
      expect(await store.browsing.countPictures(projectId, ['https://example.com/0'], 9)).toMatchObject([
        { pictures: 0 },
      ])
      expect(await store.findTaken(projectId, [done.uuid])).toEqual(new Set())
      expect(await captures.findBacklog()).toEqual(IDLE)
      expect(await captures.takeNext(LEASE)).toBeUndefined()
      expect(await store.removals.findInterrupted()).toEqual([])
      // The ids and the idempotency key are free again.
      expect(await captures.accept({ ...request, digest: 'other' })).toBe(rootId)
    })

    test('removes nothing if there is no such root', async () => {
      const { store, projectId } = await open()
      const rootId = await addRows(store, projectId)
      const revision = (await store.findProject(projectId))?.revision
      expect(await removeRoot(store, projectId, randomUUID())).toEqual([])
      expect(await removeRoot(store, await makeProject(store), rootId)).toEqual([])
      expect((await store.findProject(projectId))?.revision).toBe(revision)
      expect(await store.removals.findLast(projectId)).toBeUndefined()
      expect(await removeRoot(store, projectId, rootId)).toHaveLength(1)
      expect(await store.removals.findLast(projectId)).toBe(NOW)
      expect(await removeRoot(store, projectId, rootId)).toEqual([])
    })

    test('prevents a running attempt from ending or renewing', async () => {
      const { store, captures, projectId } = await open()
      const { rootId, underWay } = await capture(store, projectId)
      await removeRoot(store, projectId, rootId)
      expect(await captures.renew(underWay, NOW + 1)).toBe(false)
      expect(await captures.finish(underWay, PICTURE, NOW)).toBe(false)
      expect(await captures.putBack(underWay, { now: NOW, due: 0, counts: true })).toBe(false)
      expect(await captures.findUnderWay()).toEqual([])
      await expectNothingOf(store, projectId, rootId)
    })

    test('hides a large root at once and removes it in pieces; an interrupted removal is continued', async () => {
      const { store, projectId } = await open()
      const rootId = await addRows(store, projectId, { jobs: 1_100 })
      const pieces = store.removals.removeRoot(projectId, rootId, NOW)
      const first = (await pieces.next()).value as string[]
      await pieces.return(undefined)
      expect(await store.findRoot(projectId, rootId)).toBeUndefined()
      expect(await store.pageRoots(projectId, { limit: 9 })).toEqual([])
      expect(await store.removals.findInterrupted()).toEqual([{ projectId, rootId, since: undefined }])
      // Meanwhile its ids stay taken, and it does not count as a dead import.
      const again = { projectId, rootId, created: 1, digest: 'again', jobs: [newJob()] }
      await expect(store.addRoot(again, async () => {})).rejects.toMatchObject({ code: 'conflict' })
      await addRows(store, projectId)
      const rest = await removeRoot(store, projectId, rootId)
      expect(new Set([...first, ...rest.flat()]).size).toBe(1_100)
      expect(Math.max(first.length, ...rest.map((piece) => piece.length))).toBeLessThanOrEqual(200)
      expect(await store.removals.findInterrupted()).toEqual([])
      expect(await store.addRoot(again, async () => {})).toBe('added')
    })

    test('does not find a root that is being added', async () => {
      const { store, projectId } = await open()
      const root = { projectId, rootId: randomUUID(), created: 1, digest: 'd', jobs: [newJob()] }
      await store.addRoot(root, async () => {
        expect(await removeRoot(store, projectId, root.rootId)).toEqual([])
      })
      expect(await store.findRoot(projectId, root.rootId)).toBeDefined()
    })

    test('causes no deadlock with ends, other removals and requests of the same project', async () => {
      const place = await driver.newPlace()
      const stores = [await driver.open(place), await driver.open(place)] as const
      const projectId = await makeProject(stores[0])
      await Promise.all(
        Array.from({ length: 6 }, async (_, index) => {
          const store = stores[index % 2] as Store
          for (let round = 0; round < 2; round++) {
            const rootId = await store.captures.accept(newRequest(projectId, { pages: 3 }))
            const tasks = await takeAll(store, { ...LEASE, rootId })
            const ends = tasks.map((task) => store.captures.finish(task, PICTURE, NOW))
            await Promise.all([...ends, removeRoot(store, projectId, rootId)])
            await expectNothingOf(store, projectId, rootId)
          }
        }),
      )
      expect(await stores[0].captures.findBacklog()).toEqual(IDLE)
      expect(await stores[1].countProjects()).toMatchObject([{ roots: 0, jobs: 0 }])
    })
  })

  describe(`${name}: removing a project`, () => {
    test('hides it at once with its keys, then removes its roots; those of others stay', async () => {
      const { store, captures, projectId } = await open()
      const other = await makeProject(store)
      const kept = await addRows(store, other)
      const { secret } = await makeKey(store, projectId)
      const rootIds = [await addRows(store, projectId), await addRows(store, projectId, { jobs: 600 })]
      const { rootId, underWay } = await capture(store, projectId)
      const pieces = store.removals.removeProject(projectId, NOW)
      expect(await pieces.next()).toEqual({ done: false, value: [] })
      expect(await store.findProject(projectId)).toBeUndefined()
      expect((await store.listProjects()).map((project) => project.projectId)).toEqual([other])
      expect(await store.countProjects()).toMatchObject([{ projectId: other, roots: 1, jobs: 1 }])
      expect(await store.findKey(hashApiKey(secret))).toBeUndefined()
      for (const ask of [
        () => captures.accept(newRequest(projectId)),
        () => store.addRoot({ projectId, rootId, created: 1, digest: 'd', jobs: [] }, async () => {}),
        () => makeKey(store, projectId),
      ])
        await expect(ask()).rejects.toMatchObject({ code: 'not_found' })
      await pieces.return(undefined)
      expect(await store.removals.findInterrupted()).toEqual([{ projectId, rootId: undefined, since: NOW }])
      expect(await removeProject(store, projectId)).toHaveLength(602)
      for (const id of [...rootIds, rootId]) await expectNothingOf(store, projectId, id)
      expect(await captures.finish(underWay, PICTURE, NOW)).toBe(false)
      expect(await captures.findBacklog()).toEqual(IDLE)
      expect(await store.findRoot(other, kept)).toBeDefined()
      // Its id stays taken until the project is forgotten.
      await expect(makeProject(store, projectId)).rejects.toMatchObject({ code: 'conflict' })
      expect(await store.removals.forgetProject(projectId)).toBe(true)
      expect(await store.removals.forgetProject(projectId)).toBe(false)
      expect(await store.removals.forgetProject(other)).toBe(false)
      expect(await store.removals.findInterrupted()).toEqual([])
      expect(await removeProject(store, projectId)).toEqual([])
      await makeProject(store, projectId)
    })

    test('never shows an import under way, and removes it when its claim is over', async () => {
      let now = NOW
      const { store, projectId } = await open({ clock: () => now })
      const root = { projectId, rootId: randomUUID(), created: 1, digest: 'd', jobs: [newJob()] }
      const importing = store.addRoot(root, async () => {
        await removeProject(store, projectId)
      })
      await expect(importing).rejects.toMatchObject({ code: 'not_found' })
      expect(await store.findRoot(projectId, root.rootId)).toBeUndefined()
      expect(await store.removals.forgetProject(projectId)).toBe(false)
      now += 121_000
      expect(await removeProject(store, projectId)).toEqual(root.jobs.map(({ uuid }) => uuid))
      expect(await store.removals.forgetProject(projectId)).toBe(true)
    })
  })
}
