import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { CaptureTask } from '../../src/store/captures.ts'
import type { Store } from '../../src/store/store.ts'
import { answersAbout, newRequest, PICTURE, takeAll } from '../support/store/captures.ts'
import { makeProject } from '../support/store/results.ts'
import { capturesOf, DIED, LEASE, NOW } from './open-captures.ts'
import type { StoreDriver } from './store-driver.ts'

/** Which page is captured next. */
export function turnsSuite(name: string, driver: StoreDriver): void {
  const { open } = capturesOf(driver)

  describe(`${name}: the next capture`, () => {
    const ORDER = ['A', 'B', 'C']
    /** Takes and finishes `count` captures, which take this long; returns their projects. */
    const work = async (
      store: Store,
      projects: readonly string[],
      count: number,
      takes: readonly number[] = [],
    ) => {
      let turns = ''
      for (let index = 0; index < count; index++) {
        const task = await store.captures.takeNext(LEASE)
        if (!task) break
        const which = projects.indexOf(task.projectId)
        turns += ORDER[which]
        await store.captures.finish(task, PICTURE, NOW + (takes[which] ?? 0))
      }
      return turns
    }
    const threeProjects = async (from = 1_000) => {
      const { store, captures, projectId } = await open()
      const projects = [projectId, await makeProject(store), await makeProject(store)] as const
      let created = from
      const ask = (index: 0 | 1 | 2, pages: number) =>
        captures.accept(newRequest(projects[index], { pages, created: created++ }))
      return { store, captures, projects, ask }
    }

    test('follows the order of pages in a request, and of requests in a project', async () => {
      const { store, captures, projectId } = await open()
      const roots: string[] = []
      // Later requests with an older time do not overtake.
      for (const created of [30, 20, 10])
        roots.push(
          await captures.accept(newRequest(projectId, { pages: 4, created, options: { failOn: 'status' } })),
        )
      const tasks = await takeAll(store, LEASE)
      expect(tasks.map(({ rootId, position }) => [roots.indexOf(rootId), position])).toEqual(
        [0, 1, 2].flatMap((root) => [0, 1, 2, 3].map((position) => [root, position])),
      )
      expect(tasks[1]).toEqual({
        projectId,
        rootId: roots[0],
        position: 1,
        uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        url: 'https://example.com/1',
        name: 'Page 1',
        loadingTime: 15_001,
        options: { width: 1200, height: 720, fullPage: true, failOn: 'status' },
        attempts: 1,
        deaths: 0,
      })
      expect(new Set(tasks.map(({ uuid }) => uuid)).size).toBe(12)
    })

    test('alternates between projects, however many pages they have, and a new project joins at once', async () => {
      const { store, projects, ask } = await threeProjects()
      await ask(0, 20)
      await ask(1, 5)
      expect(await work(store, projects, 4)).toBe('ABAB')
      await ask(2, 3)
      expect(await work(store, projects, 99)).toBe(`${'ABC'.repeat(3)}${'A'.repeat(15)}`)
    })

    test('of a project that was served does not wait for the rest of another queue', async () => {
      const { store, projects, ask } = await threeProjects()
      await ask(0, 20)
      for (let round = 0; round < 3; round++) {
        await ask(1, 2)
        expect(await work(store, projects, 4)).toBe('ABAB')
      }
    })

    test('belongs to a project only in its turn, however often it requests captures', async () => {
      const { store, projects, ask } = await threeProjects()
      for (let round = 0; round < 6; round++) await ask(0, 1)
      await ask(1, 6)
      expect(await work(store, projects, 99)).toBe('AB'.repeat(6))
    })

    test('depends on the time used, not on the number of pages', async () => {
      const { store, projects, ask } = await threeProjects()
      await ask(0, 9)
      await ask(1, 99)
      // A page of A takes as long as ten of B, except for the fixed cost of each.
      expect(await work(store, projects, 23, [10_900, 1_000, 0])).toBe(`${`A${'B'.repeat(10)}`.repeat(2)}A`)
    })

    test('depends on running captures, too, which count for the time they have taken', async () => {
      const { captures, projects, ask } = await threeProjects()
      await ask(0, 9)
      await ask(1, 9)
      const whose = async (at: number) =>
        ORDER[projects.indexOf((await captures.takeNext({ ...LEASE, now: NOW + at }))?.projectId ?? '')]
      expect([await whose(0), await whose(0)]).toEqual(['A', 'B'])
      const task = (await captures.takeNext({ ...LEASE, now: NOW + 1 })) as CaptureTask
      expect(task.projectId).toBe(projects[0])
      // A has two running now, and so uses twice as much time.
      expect([await whose(5_000), await whose(5_000)]).toEqual(['B', 'B'])
    })

    test('of a project that joins begins at the least time used by the others, whatever it used before', async () => {
      const { store, projects, ask } = await threeProjects()
      await ask(1, 1)
      expect(await work(store, projects, 1, [0, 90_000])).toBe('B')
      await ask(0, 30)
      expect(await work(store, projects, 5, [9_900])).toBe('AAAAA')
      // B owes nothing, and has not saved up the time in which A was alone.
      await ask(1, 20)
      expect(await work(store, projects, 6, [9_900, 9_900])).toBe('ABABAB')
      expect(await work(store, projects, 6, [9_900, 900])).toBe(`A${'B'.repeat(5)}`)
    })

    test('a lost attempt counts for no longer than its lease', async () => {
      const { store, captures, projects, ask } = await threeProjects()
      await ask(0, 9)
      await ask(1, 9)
      const lost = (await captures.takeNext(LEASE)) as CaptureTask
      expect(lost.projectId).toBe(projects[0])
      // It is put back a day later: twenty seconds and the fixed cost of an attempt were used.
      const late = { ...LEASE, now: NOW + 86_400_000 }
      await captures.putBack(lost, { ...DIED, now: late.now })
      const take = async (takes: number) => {
        const task = (await captures.takeNext(late)) as CaptureTask
        await captures.finish(task, PICTURE, late.now + takes)
        return `${ORDER[projects.indexOf(task.projectId)]}${task.position}`
      }
      expect([await take(9_900), await take(9_900), await take(9_900)]).toEqual(['B0', 'B1', 'B2'])
      expect([await take(0), await take(0)]).toEqual(['A0', 'A1'])
      expect(await work(store, [], 0)).toBe('')
    })

    test('can be limited to projects with nothing running', async () => {
      const { captures, projects, ask } = await threeProjects()
      const whose = async (idleOnly: boolean) =>
        ORDER[projects.indexOf((await captures.takeNext({ ...LEASE, idleOnly }))?.projectId ?? '')]
      await ask(0, 9)
      expect([await whose(false), await whose(false), await whose(true)]).toEqual(['A', 'A', undefined])
      await ask(1, 2)
      await ask(2, 2)
      const task = (await captures.takeNext({ ...LEASE, idleOnly: true })) as CaptureTask
      expect([task.projectId, await whose(true), await whose(true)]).toEqual([projects[1], 'C', undefined])
      await captures.finish(task, PICTURE, NOW)
      expect([await whose(true), await whose(true)]).toEqual(['B', undefined])
      for (const attempt of await captures.findUnderWay()) await captures.putBack(attempt, DIED)
      expect([await whose(true), await whose(true), await whose(true)].toSorted()).toEqual(['A', 'B', 'C'])
    })

    test('is not delayed by many projects with nothing due', async () => {
      const { store, captures, projectId } = await open()
      for (let index = 0; index < 18; index++) {
        const held = { created: index, heldUntil: NOW + 1 }
        await captures.accept(newRequest(await makeProject(store), held))
      }
      const rootId = await captures.accept(newRequest(projectId))
      expect((await takeAll(store, LEASE)).map((task) => task.rootId)).toEqual([rootId])
      expect(await takeAll(store, { ...LEASE, now: NOW + 1 })).toHaveLength(18)
    })

    test('of a project that joins comes no earlier because an early page is slow or tried again', async () => {
      const { store, captures, projects, ask } = await threeProjects()
      await ask(0, 12)
      const again = (await captures.takeNext(LEASE)) as CaptureTask
      // One is slow and keeps running.
      await captures.takeNext(LEASE)
      await work(store, projects, 4)
      await captures.putBack(again, { now: NOW, due: NOW + 60_000, counts: true })
      await ask(1, 4)
      expect(await work(store, projects, 6)).toBe('ABABAB')
    })

    test('of a project that joins does not wait for pages held for someone else', async () => {
      const { store, captures, projects, ask } = await threeProjects(NOW - 100)
      const held = { pages: 3, created: NOW - 500, heldUntil: NOW + 60_000 }
      await captures.accept(newRequest(projects[2], held))
      await ask(0, 6)
      await work(store, projects, 3)
      await ask(1, 3)
      expect(await work(store, projects, 99)).toBe('ABABAB')
    })

    test('is not a held page, unless its root is named, its time has come, or it is released', async () => {
      const { store, captures, projectId } = await open()
      const ask = (heldUntil?: number) =>
        captures.accept(newRequest(projectId, { pages: 2, ...(heldUntil && { heldUntil }) }))
      const [held, free, letGo] = [await ask(NOW + 10), await ask(), await ask(NOW + 60_000)]
      expect((await takeAll(store, LEASE)).map(({ rootId }) => rootId)).toEqual([free, free])
      expect(await captures.takeNext({ ...LEASE, rootId: held })).toMatchObject({ rootId: held, position: 0 })
      expect(await captures.takeNext({ ...LEASE, now: NOW + 9 })).toBeUndefined()
      expect(await captures.takeNext({ ...LEASE, now: NOW + 10 })).toMatchObject({
        rootId: held,
        position: 1,
      })
      const before = await answersAbout(store, projectId, letGo)
      await captures.letGo({ projectId, rootId: letGo }, NOW)
      expect(await answersAbout(store, projectId, letGo)).toEqual(before)
      expect((await takeAll(store, LEASE)).map(({ rootId }) => rootId)).toEqual([letGo, letGo])
      // Releasing a running or unknown one changes nothing.
      await captures.letGo({ projectId, rootId: letGo }, NOW)
      await captures.letGo({ projectId, rootId: randomUUID() }, NOW)
      expect(await takeAll(store, LEASE)).toEqual([])
    })

    test('can be limited to one root', async () => {
      const { store, captures, projectId } = await open()
      const [, second = ''] = [
        await captures.accept(newRequest(projectId, { pages: 3 })),
        await captures.accept(newRequest(projectId, { pages: 2 })),
      ]
      const tasks = await takeAll(store, { ...LEASE, rootId: second })
      expect(tasks.map(({ rootId }) => rootId)).toEqual([second, second])
      expect(await captures.takeNext({ ...LEASE, rootId: randomUUID() })).toBeUndefined()
      expect(await takeAll(store, LEASE)).toHaveLength(3)
    })
  })
}
