import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { newRequest, PICTURE, somePages, takeAll } from '../support/store/captures.ts'
import { makeProject } from '../support/store/results.ts'
import { capturesOf, LEASE, NOW } from './open-captures.ts'
import type { StoreDriver } from './store-driver.ts'

const LATER = NOW + 60_000
const NOTHING_WAITS = { waiting: 0, running: 0, oldest: undefined }

/** What every store does with roots whose pages are captured later. */
export function scheduledRootsSuite(name: string, driver: StoreDriver): void {
  const { open, openTwice } = capturesOf(driver)
  const schedule = async ({ captures }: Store, projectId: string, { pages = 2, at = LATER } = {}) =>
    await captures.accept({
      ...newRequest(projectId, { created: NOW, origin: { scheduled: at } }),
      pages: somePages(pages).map((page) => ({ ...page, sealed: '1.k1.secret' })),
      options: { width: 1, height: 1, fullPage: false, tags: [], headers: { a: '' } },
    })
  const countsOf = async (store: Store, projectId: string, rootId: string) => {
    const changes = await store.captures.findChanges(projectId, rootId, 0)
    const summary = (await store.browsing.requestsOf(projectId, [rootId])).get(rootId)
    expect(summary?.counts).toEqual(changes?.counts)
    expect(summary?.origin).toEqual(changes?.origin)
    return changes?.counts
  }
  const plain = { queued: 0, running: 0, done: 0, failed: 0 }

  describe(`${name}: scheduled roots`, () => {
    test('exist at once, and are not queued until their time has come', async () => {
      const { store, captures, projectId } = await open()
      const rootId = await schedule(store, projectId)
      expect(await store.findRoot(projectId, rootId)).toMatchObject({ jobCount: 0 })
      expect(await countsOf(store, projectId, rootId)).toEqual({ ...plain, total: 2, scheduled: 2 })
      expect(await captures.findProgress(projectId, rootId)).toMatchObject({
        origin: { scheduled: LATER },
        captures: [{ state: 'scheduled' }, { state: 'scheduled' }],
      })
      expect(await captures.anyUnfinished()).toBe(false)
      expect(await captures.findBacklog()).toEqual(NOTHING_WAITS)
      expect(await captures.anyDueSince(LATER * 2)).toBe(false)
      expect(await takeAll(store, { ...LEASE, now: LATER * 2 })).toEqual([])
      expect(await takeAll(store, { ...LEASE, rootId })).toEqual([])
      expect(await captures.findBacklog()).toEqual(NOTHING_WAITS)

      expect(await store.schedules.findNextDue()).toBe(LATER)
      expect(await store.scheduledRoots.findDue(LATER - 1, 9)).toEqual([])
      expect(await store.scheduledRoots.findDue(LATER, 9)).toEqual([{ projectId, rootId }])
      const before = await captures.findVersion(projectId, rootId)
      expect(await store.scheduledRoots.begin({ projectId, rootId }, LATER)).toBe(true)
      expect(await store.scheduledRoots.begin({ projectId, rootId }, LATER)).toBe(false)
      expect(await captures.findVersion(projectId, rootId)).toBe((before ?? 0) + 1)
      expect([await store.schedules.findNextDue(), await store.scheduledRoots.findDue(LATER, 9)]).toEqual([
        undefined,
        [],
      ])
      expect(await countsOf(store, projectId, rootId)).toEqual({ ...plain, total: 2, queued: 2 })
      expect(await captures.findBacklog()).toEqual({ waiting: 2, running: 0, oldest: LATER })
      const tasks = await takeAll(store, { ...LEASE, now: LATER })
      expect(tasks.map(({ position, sealed }) => [position, sealed])).toEqual([
        [0, '1.k1.secret'],
        [1, '1.k1.secret'],
      ])
      for (const task of tasks) await captures.finish(task, PICTURE, LATER)
      expect(await captures.findProgress(projectId, rootId)).toMatchObject({
        origin: { scheduled: LATER },
        finished: { at: LATER, outcome: 'done' },
      })
      expect(await captures.findBacklog()).toEqual(NOTHING_WAITS)
    })

    test('come after pages that were queued earlier, each page in its turn', async () => {
      const { store, captures, projectId } = await open()
      const later = await schedule(store, projectId)
      const now = await captures.accept(newRequest(projectId, { pages: 2, created: NOW }))
      await store.scheduledRoots.begin({ projectId, rootId: later }, LATER)
      const last = await captures.accept(newRequest(projectId, { created: LATER }))
      const tasks = await takeAll(store, { ...LEASE, now: LATER })
      expect(tasks.map(({ rootId, position }) => [rootId, position])).toEqual([
        [now, 0],
        [now, 1],
        [later, 0],
        [later, 1],
        [last, 0],
      ])
    })

    test('begin late after downtime, and say how late', async () => {
      const { store, captures, projectId } = await open()
      const lateOf = async (at: number) => {
        const rootId = await schedule(store, projectId)
        await store.scheduledRoots.begin({ projectId, rootId }, at)
        await countsOf(store, projectId, rootId)
        return (await captures.findProgress(projectId, rootId))?.origin
      }
      expect(await lateOf(LATER + 60_000)).toEqual({ scheduled: LATER })
      expect(await lateOf(LATER + 60_001)).toEqual({ scheduled: LATER, lateMs: 60_001 })
    })

    test('whose time is over begin at once', async () => {
      const { store, captures, projectId } = await open()
      const rootId = await schedule(store, projectId, { at: NOW })
      expect(await countsOf(store, projectId, rootId)).toEqual({ ...plain, total: 2, queued: 2 })
      expect([await captures.anyUnfinished(), await store.schedules.findNextDue()]).toEqual([true, undefined])
    })

    test('can be cancelled once, before they begin', async () => {
      const { store, captures, projectId } = await open()
      const rootId = await schedule(store, projectId)
      const key = { projectId, rootId }
      expect([
        await store.scheduledRoots.cancel(key, NOW),
        await store.scheduledRoots.cancel(key, LATER),
      ]).toEqual([true, true])
      expect(await countsOf(store, projectId, rootId)).toEqual({ ...plain, total: 2, cancelled: 2 })
      const progress = await captures.findProgress(projectId, rootId)
      expect(progress).toMatchObject({ finished: { at: NOW, outcome: 'cancelled' } })
      expect(await store.events.read(projectId, { after: 0, limit: 9 })).toMatchObject([
        { kind: 'root.finished', rootId, position: undefined, created: NOW },
      ])
      expect(await store.scheduledRoots.begin(key, LATER)).toBe(false)
      expect([await store.schedules.findNextDue(), await takeAll(store, LEASE)]).toEqual([undefined, []])
      const begun = await captures.accept(newRequest(projectId))
      for (const other of [begun, crypto.randomUUID()])
        expect(await store.scheduledRoots.cancel({ projectId, rootId: other }, NOW)).toBe(false)
      // A copy of it has the same state.
      if (!progress) throw new Error('there is no such request')
      const copy = await driver.open(await driver.newPlace())
      await makeProject(copy, projectId)
      await copy.addRoot({ projectId, rootId, created: NOW, digest: 'digest', jobs: [] }, async () => {})
      await copy.captures.adopt(projectId, rootId, progress)
      expect(await copy.captures.findProgress(projectId, rootId)).toEqual(progress)
      expect(await copy.schedules.findNextDue()).toBeUndefined()
    })

    test('have their own limit, and do not count as waiting', async () => {
      const { store, captures, projectId } = await open()
      const limits = { mostWaiting: 2, mostScheduled: 3 }
      const ask = (pages: number, scheduled?: number) =>
        captures.accept(
          newRequest(projectId, { pages, created: NOW, ...(scheduled && { origin: { scheduled } }) }),
          limits,
        )
      const first = await ask(3, LATER)
      await expect(ask(1, LATER)).rejects.toMatchObject({
        code: 'rate_limited',
        message: expect.stringMatching(/3 scheduled pages; 1 more .* limit of 3 \(MAX_PAGES_SCHEDULED\)$/),
      })
      await ask(2)
      await expect(ask(1)).rejects.toMatchObject({ code: 'rate_limited' })
      await store.scheduledRoots.cancel({ projectId, rootId: first }, NOW)
      const second = await ask(3, LATER)
      // An accepted root begins, however many pages wait.
      expect(await store.scheduledRoots.begin({ projectId, rootId: second }, LATER)).toBe(true)
      expect(await captures.findBacklog()).toMatchObject({ waiting: 5 })
    })

    test('are removed without leaving anything in the queue', async () => {
      const { store, captures, projectId } = await open()
      await captures.accept(newRequest(projectId))
      const rootId = await schedule(store, projectId)
      await Array.fromAsync(store.removals.removeRoot(projectId, rootId, NOW))
      expect(await captures.findBacklog()).toMatchObject({ waiting: 1 })
      expect(await store.schedules.findNextDue()).toBeUndefined()
      await schedule(store, projectId)
      const [hidden] = [await store.removals.removeProject(projectId, NOW).next()]
      expect(hidden.done).toBe(false)
      expect([await store.schedules.findNextDue(), await store.scheduledRoots.findDue(LATER, 9)]).toEqual([
        undefined,
        [],
      ])
    })

    test('begin only once, or are cancelled, whichever comes first', async () => {
      const { stores, one, projectId } = await openTwice()
      let waiting = 0
      for (let round = 0; round < 8; round++) {
        // So many that they meet while locking the rows.
        const pages = round < 4 ? 2 : 300
        const rootId = await schedule(one(0), projectId, { pages })
        const key = { projectId, rootId }
        const [cancelled, ...begun] = await Promise.all([
          one(round).scheduledRoots.cancel(key, NOW),
          ...[0, 1, 2, 3].map((index) => one(index).scheduledRoots.begin(key, LATER)),
        ])
        // A begin skips rows that are locked: so possibly none of them has begun it yet.
        if (begun.every((each) => !each) && !cancelled)
          expect(await one(0).scheduledRoots.begin(key, LATER)).toBe(true)
        expect(begun.filter(Boolean).length + (cancelled ? 1 : 0)).toBeLessThanOrEqual(1)
        if (!cancelled) waiting += pages
      }
      expect(await stores[1].captures.findBacklog()).toMatchObject({ waiting, running: 0 })
    })
  })
}
