import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Attempt, CaptureTask, Outcome, RootEvent } from '../../src/store/captures.ts'
import type { Store } from '../../src/store/store.ts'
import { FAILURE, newRequest, PICTURE, takeAll } from '../support/store/captures.ts'
import { addRows, makeProject } from '../support/store/results.ts'
import type { StoreDriver } from './store-driver.ts'

const NOW = 1_700_000_100_000
const LEASE = { now: NOW, leaseMs: 20_000 }
const ALL = { after: 0, limit: 10_000 }

/** Outcomes of two pages, and of their root. */
const ENDS: readonly [Outcome, readonly boolean[]][] = [
  ['done', [true, true]],
  ['partial', [true, false]],
  ['partial', [false, true]],
  ['failed', [false, false]],
]

const kindsOf = (events: readonly RootEvent[]) => events.map(({ kind, position }) => [kind, position])

/** What every store must record about the life of a root. */
export function lifeSuite(name: string, driver: StoreDriver): void {
  const open = async () => {
    const store = await driver.open(await driver.newPlace())
    return { store, captures: store.captures, projectId: await makeProject(store) }
  }
  const ask = async ({ captures }: Store, projectId: string, pages: number) => {
    const rootId = await captures.accept(newRequest(projectId, { pages }))
    const tasks: CaptureTask[] = []
    for (let page = 0; page < pages; page++)
      tasks.push((await captures.takeNext({ ...LEASE, rootId })) as CaptureTask)
    return { rootId, tasks }
  }
  const finishedOf = async ({ captures }: Store, projectId: string, rootId: string) => {
    const progress = await captures.findProgress(projectId, rootId)
    const changes = await captures.findChanges(projectId, rootId, 0)
    expect(changes?.finished).toEqual(progress?.finished)
    return progress?.finished
  }

  describe(`${name}: a root`, () => {
    test('is finished with its last page, and not before', async () => {
      const { store, captures, projectId } = await open()
      let last = 0
      for (const [outcome, pages] of ENDS) {
        const { rootId, tasks } = await ask(store, projectId, 2)
        for (const [index, task] of tasks.entries()) {
          expect(await finishedOf(store, projectId, rootId)).toBeUndefined()
          await captures.finish(task, pages[index] ? PICTURE : FAILURE, NOW + index)
        }
        expect(await finishedOf(store, projectId, rootId)).toEqual({ at: NOW + 1, outcome })
        const kinds = pages.map((isDone) => (isDone ? 'page.done' : 'page.failed'))
        expect(await store.events.read(projectId, { after: last, limit: 9 })).toEqual([
          { number: last + 1, rootId, kind: kinds[0], position: 0, created: NOW },
          { number: last + 2, rootId, kind: kinds[1], position: 1, created: NOW + 1 },
          { number: last + 3, rootId, kind: 'root.finished', position: undefined, created: NOW + 1 },
        ])
        last += 3
      }
    })

    test('writes no event for accepting, beginning, putting back, or late attempts', async () => {
      const { store, captures, projectId } = await open()
      const { rootId, tasks } = await ask(store, projectId, 1)
      const late = tasks[0] as Attempt
      await captures.putBack(late, { now: NOW, due: 0, counts: true })
      expect(await captures.finish(late, PICTURE, NOW)).toBe(false)
      expect(await store.events.read(projectId, ALL)).toEqual([])
      const last = (await captures.takeNext(LEASE)) as CaptureTask
      expect(await captures.finish(last, PICTURE, NOW + 5)).toBe(true)
      for (const attempt of [late, last]) expect(await captures.finish(attempt, FAILURE, NOW + 9)).toBe(false)
      expect(kindsOf(await store.events.read(projectId, ALL))).toEqual([
        ['page.done', 0],
        ['root.finished', undefined],
      ])
      expect(await finishedOf(store, projectId, rootId)).toEqual({ at: NOW + 5, outcome: 'done' })
    })

    test('that was imported or adopted has no events; an adopted one keeps its state', async () => {
      const { store, captures, projectId } = await open()
      await addRows(store, projectId)
      const { rootId, tasks } = await ask(store, projectId, 1)
      await captures.finish(tasks[0] as CaptureTask, PICTURE, NOW)
      const progress = await captures.findProgress(projectId, rootId)
      if (!progress) throw new Error('there is no such request')
      const other = await driver.open(await driver.newPlace())
      await makeProject(other, projectId)
      for (const finished of [progress.finished, undefined]) {
        const copy = await addRows(other, projectId)
        await other.captures.adopt(projectId, copy, { ...progress, finished })
        expect(await finishedOf(other, projectId, copy)).toEqual({ at: NOW, outcome: 'done' })
      }
      expect(await other.events.read(projectId, ALL)).toEqual([])
    })
  })

  describe(`${name}: many workers, through three stores`, () => {
    const AT_ONCE = 24
    /** Ends every page of some roots: each attempt by three at once, some after they were put back. */
    async function endAll(stores: readonly Store[], projectId: string, roots: number, pages: number) {
      const [first] = stores as [Store]
      for (let root = 0; root < roots; root++) await first.captures.accept(newRequest(projectId, { pages }))
      const lost = (await takeAll(first, LEASE)).filter(({ position }) => position % 2 === 0)
      for (const attempt of lost) await first.captures.putBack(attempt, { now: NOW, due: 0, counts: false })
      const again = await takeAll(first, LEASE)
      const attempts = [...lost, ...again, ...(await first.captures.findUnderWay())]
      const ends = attempts.flatMap((attempt) => stores.map(({ captures }) => [captures, attempt] as const))
      const ended: boolean[] = []
      // No more at once than there are connections: on a busy machine, the others would time out waiting for one.
      while (ended.length < ends.length) {
        const some = ends.slice(ended.length, ended.length + AT_ONCE)
        const finishing = some.map(([captures, attempt], index) =>
          captures.finish(attempt, index % 5 ? PICTURE : FAILURE, NOW),
        )
        ended.push(...(await Promise.all(finishing)))
      }
      expect(ended.filter(Boolean)).toHaveLength(roots * pages)
    }
    const openAll = async () => {
      const place = await driver.newPlace()
      const stores = [await driver.open(place), await driver.open(place), await driver.open(place)]
      return { stores, projectId: await makeProject(stores[0] as Store) }
    }

    test('finish a root exactly once, after its last page, and no event number is missing', async () => {
      const { stores, projectId } = await openAll()
      await endAll(stores, projectId, 6, 4)
      const events = await (stores[0] as Store).events.read(projectId, ALL)
      expect(events.map(({ number }) => number)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1))
      const byRoot = Map.groupBy(events, ({ rootId }) => rootId)
      expect(byRoot.size).toBe(6)
      for (const [rootId, ofRoot] of byRoot) {
        expect(ofRoot.map(({ position }) => position).toSorted()).toEqual([0, 1, 2, 3, undefined])
        expect(ofRoot.at(-1)?.kind).toBe('root.finished')
        expect(await finishedOf(stores[1] as Store, projectId, rootId)).toMatchObject({ at: NOW })
      }
    })

    test('leave no gaps for a reader that continues from its last number', async () => {
      const { stores, projectId } = await openAll()
      const seen: RootEvent[] = []
      const reader = stores[2] as Store
      const read = async () => {
        seen.push(...(await reader.events.read(projectId, { after: seen.at(-1)?.number ?? 0, limit: 7 })))
      }
      const writing = endAll(stores, projectId, 6, 4)
      let isOver = false
      void writing.finally(() => {
        isOver = true
      })
      while (!isOver) {
        await read()
        await sleep(1)
      }
      await writing
      for (let before = -1; before < seen.length; ) {
        before = seen.length
        await read()
      }
      expect(seen).toEqual(await reader.events.read(projectId, ALL))
      expect(seen).toHaveLength(30)
    })
  })

  describe(`${name}: trimming events`, () => {
    const end = async (store: Store, projectId: string, times: readonly number[]) => {
      for (const time of times) {
        const { tasks } = await ask(store, projectId, 1)
        await store.captures.finish(tasks[0] as CaptureTask, PICTURE, time)
      }
    }
    const numbersOf = async ({ events }: Store, projectId: string) =>
      (await events.read(projectId, ALL)).map(({ number }) => number)

    test('removes them by age and by number, some at a time; numbers continue', async () => {
      const { store, projectId } = await open()
      const other = await makeProject(store)
      await end(store, projectId, [NOW, NOW + 1, NOW + 2, NOW + 3])
      await end(store, other, [NOW, NOW + 9])
      const keep = { before: 0, most: 100, limit: 3 }
      expect(await store.events.trim(keep)).toBe(0)
      expect(await store.events.trim({ ...keep, before: NOW + 1 })).toBe(3)
      expect(await store.events.trim({ ...keep, before: NOW + 1 })).toBe(1)
      expect(await store.events.trim({ ...keep, before: NOW + 1 })).toBe(0)
      expect(await numbersOf(store, projectId)).toEqual([3, 4, 5, 6, 7, 8])
      expect(await numbersOf(store, other)).toEqual([3, 4])
      expect(await store.events.trim({ ...keep, most: 2 })).toBe(3)
      expect(await store.events.trim({ ...keep, most: 2 })).toBe(1)
      expect(await numbersOf(store, projectId)).toEqual([7, 8])
      expect(await numbersOf(store, other)).toEqual([3, 4])
      expect(await store.events.trim({ ...keep, before: NOW + 10 })).toBe(3)
      await store.events.trim({ ...keep, before: NOW + 10 })
      expect(await numbersOf(store, projectId)).toEqual([])
      await end(store, projectId, [NOW])
      expect(await numbersOf(store, projectId)).toEqual([9, 10])
    })
  })
}
