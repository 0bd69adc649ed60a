import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Attempt, type CaptureTask, SUSPECT_DEATHS } from '../../src/store/captures.ts'
import type { Store } from '../../src/store/store.ts'
import {
  answersAbout,
  FAILURE,
  newRequest,
  newSeen,
  PICTURE,
  somePages,
  takeAll,
} from '../support/captures.ts'
import { addRows, makeProject } from '../support/results.ts'
import { rounds } from '../support/rounds.ts'
import { CapturesModel } from './captures-model.ts'
import type { StoreDriver } from './store-suite.ts'

const NOW = 1_700_000_100_000
const LEASE = { now: NOW, leaseMs: 20_000 }
/** Its process has died. */
const DIED = { now: NOW, due: 0, counts: false, died: true }
/** By a clock that is two hours ahead. */
const AHEAD = { now: NOW, due: NOW + 7_200_000, counts: true }

/** What every store must do with what is to be captured, whatever engine it runs on. */
export function capturesSuite(name: string, driver: StoreDriver): void {
  const open = async () => {
    const store = await driver.open(await driver.newPlace())
    return { store, captures: store.captures, projectId: await makeProject(store) }
  }
  /** Two stores, each with connections of its own, on one database. */
  const openTwice = async () => {
    const place = await driver.newPlace()
    const stores = [await driver.open(place), await driver.open(place)] as const
    const projectId = await makeProject(stores[0])
    const one = (index: number): Store => stores[index % 2] as Store
    return { stores, one, projectId }
  }
  /** A request for some pages, each of them begun. */
  const begun = async (pages: number) => {
    const opened = await open()
    const rootId = await opened.captures.accept(newRequest(opened.projectId, { pages }))
    return { ...opened, rootId, tasks: await takeAll(opened.store, LEASE) }
  }
  type Begun = Awaited<ReturnType<typeof begun>>
  const first = (tasks: readonly CaptureTask[]): CaptureTask => {
    if (!tasks[0]) throw new Error('nothing was taken')
    return tasks[0]
  }
  const takeOver = async ({ captures }: Store, old: Attempt): Promise<CaptureTask> => {
    await captures.putBack(old, DIED)
    return (await captures.takeNext({ ...LEASE, rootId: old.rootId })) as CaptureTask
  }

  describe(`${name}: accepting`, () => {
    test('a request is an empty root at once, and a change for everyone', async () => {
      const { store, captures, projectId } = await open()
      await addRows(store, projectId, { created: 1 })
      const before = await store.findProject(projectId)
      const request = newRequest(projectId, { pages: 3, created: 77, digest: 'd' })
      expect(await captures.anyUnfinished()).toBe(false)
      expect(await captures.accept(request)).toBe(request.rootId)
      const root = { rootId: request.rootId, created: 77, jobCount: 0, digest: 'd' }
      expect(await store.findRoot(projectId, request.rootId)).toMatchObject(root)
      expect((await store.pageRoots(projectId, { limit: 1 }))[0]).toMatchObject(root)
      expect(await store.jobsOf(projectId, [request.rootId])).toEqual([])
      const empty = { head: await store.findRoot(projectId, request.rootId), jobs: [] }
      expect(await store.textsOf(projectId, [request.rootId])).toEqual(new Map([[request.rootId, empty]]))
      expect(await store.pageTexts(projectId, request.rootId, { from: 0, limit: 9 })).toEqual(empty)
      expect((await store.findProject(projectId))?.revision).not.toBe(before?.revision)
      expect(await captures.anyUnfinished()).toBe(true)
      expect(await store.countProjects()).toMatchObject([{ roots: 2, jobs: 1 }])
    })

    test('what is left is counted, by who is at it, with the oldest of it', async () => {
      const { store, captures, projectId } = await open()
      const none = { waiting: 0, running: 0, oldest: undefined }
      expect([await captures.findBacklog(), await captures.anyDueSince(1e15)]).toEqual([none, false])
      await captures.accept(newRequest(projectId, { pages: 1, created: 50 }))
      await captures.accept(newRequest(projectId, { pages: 2, created: 90, heldUntil: 500 }))
      expect(await captures.findBacklog()).toEqual({ waiting: 3, running: 0, oldest: 50 })
      expect([await captures.anyDueSince(49), await captures.anyDueSince(50)]).toEqual([false, true])
      const task = first(await takeAll(store, { now: 60, leaseMs: 1_000 }))
      expect(await captures.findBacklog()).toEqual({ waiting: 2, running: 1, oldest: 90 })
      // One is under way, the others are held.
      expect([await captures.anyDueSince(400), await captures.anyDueSince(500)]).toEqual([false, true])
      await captures.finish(task, PICTURE, 70)
      expect(await captures.findBacklog()).toEqual({ waiting: 2, running: 0, oldest: 90 })
    })

    test('its progress is what was asked for, to the character', async () => {
      const { captures, projectId } = await open()
      const pages = [
        { url: 'https://example.com/?a=b&c#d', name: 'Ω “quoted” \\ \n 😀', loadingTime: 1 },
        {
          url: 'http://localhost',
          name: '',
          loadingTime: 600_000,
          ownOptions: { width: 390, fullPage: true },
        },
      ]
      const tags = ['', 'say "no" \\', '🦊']
      const options = { width: 1, height: 65_535, fullPage: false, failOn: 'status' as const, tags }
      const request = { ...newRequest(projectId, { created: 99, options, idempotencyKey: 'key' }), pages }
      await captures.accept(request)
      expect(await captures.findProgress(projectId, request.rootId)).toEqual({
        created: 99,
        idempotencyKey: 'key',
        options,
        version: 1,
        captures: pages.map((page, position) => ({
          ...page,
          position,
          state: 'queued',
          attempts: 0,
          uuid: undefined,
          failed: undefined,
          seen: undefined,
          cut: false,
          queued: 99,
          started: undefined,
          finished: undefined,
          changed: 1,
        })),
      })
    })

    test('as many pages as one request may have', async () => {
      const { captures, projectId } = await open()
      const rootId = await captures.accept(newRequest(projectId, { pages: 1_000 }))
      const progress = await captures.findProgress(projectId, rootId)
      expect(progress?.captures.map(({ url }) => url)).toEqual(somePages(1_000).map(({ url }) => url))
    })

    test('an unknown project is not_found, and leaves nothing', async () => {
      const { store, captures } = await open()
      const request = newRequest(randomUUID(), { idempotencyKey: 'key' })
      await expect(captures.accept(request)).rejects.toMatchObject({ code: 'not_found' })
      expect(await store.findRoot(request.projectId, request.rootId)).toBeUndefined()
      expect(await captures.findProgress(request.projectId, request.rootId)).toBeUndefined()
      expect(await captures.anyUnfinished()).toBe(false)
    })

    test('the same key and content again is the first root, and changes nothing', async () => {
      const { store, captures, projectId } = await open()
      const request = newRequest(projectId, { idempotencyKey: 'key', pages: 2 })
      await captures.accept(request)
      const before = await answersAbout(store, projectId, request.rootId)
      expect(await captures.accept({ ...request, rootId: randomUUID(), created: 5 })).toBe(request.rootId)
      expect(await answersAbout(store, projectId, request.rootId)).toEqual(before)
      expect(await store.pageRoots(projectId, { limit: 9 })).toHaveLength(1)
      // Also when all of it is over.
      for (const task of await takeAll(store, LEASE)) await captures.finish(task, PICTURE, NOW)
      expect(await captures.accept({ ...request, rootId: randomUUID() })).toBe(request.rootId)
      expect(await captures.anyUnfinished()).toBe(false)
    })

    test('the same key and other content is a conflict, and leaves nothing', async () => {
      const { store, captures, projectId } = await open()
      const request = newRequest(projectId, { idempotencyKey: 'key' })
      await captures.accept(request)
      const before = await answersAbout(store, projectId, request.rootId)
      const other = { ...request, rootId: randomUUID(), digest: 'other' }
      await expect(captures.accept(other)).rejects.toMatchObject({ code: 'conflict' })
      expect(await answersAbout(store, projectId, request.rootId)).toEqual(before)
      expect(await store.findRoot(projectId, other.rootId)).toBeUndefined()
      expect(await takeAll(store, LEASE)).toHaveLength(1)
    })

    test('many at once with one key make one root', async () => {
      const { one, projectId } = await openTwice()
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, index) =>
          one(index).captures.accept(newRequest(projectId, { idempotencyKey: 'key', pages: 2 })),
        ),
      )
      const roots = await one(0).pageRoots(projectId, { limit: 99 })
      expect(roots.map(({ rootId }) => rootId)).toEqual([...new Set(answers)])
      expect(roots).toHaveLength(1)
      expect(await takeAll(one(1), LEASE)).toHaveLength(2)
    })

    test('of many at once with one key and other content one is accepted', async () => {
      const { one, projectId } = await openTwice()
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          one(index)
            .captures.accept(newRequest(projectId, { idempotencyKey: 'key', digest: `${index}` }))
            .then(
              () => 'accepted',
              (error) => error.code,
            ),
        ),
      )
      expect(outcomes.toSorted()).toEqual(['accepted', ...Array.from({ length: 7 }, () => 'conflict')])
    })

    test('a key is its project’s', async () => {
      const { store, captures, projectId } = await open()
      const other = await makeProject(store)
      const ids = [projectId, other].map((id) =>
        captures.accept(newRequest(id, { idempotencyKey: 'key', digest: id })),
      )
      expect(new Set(await Promise.all(ids)).size).toBe(2)
    })

    test('without a key no request is another', async () => {
      const { store, captures, projectId } = await open()
      const ids = await Promise.all(Array.from({ length: 5 }, () => captures.accept(newRequest(projectId))))
      expect(new Set(ids).size).toBe(5)
      expect(await store.pageRoots(projectId, { limit: 9 })).toHaveLength(5)
    })

    test('no more than may wait, and nothing is half done', async () => {
      const { store, captures, projectId } = await open()
      const other = await makeProject(store)
      const most = { mostWaiting: 5 }
      await captures.accept(newRequest(projectId, { pages: 3 }), most)
      const request = newRequest(projectId, { pages: 3, idempotencyKey: 'key' })
      const before = await answersAbout(store, projectId, request.rootId)
      await expect(captures.accept(request, most)).rejects.toMatchObject({
        ...{ code: 'rate_limited', retryAfterS: 60 },
        message: expect.stringMatching(/^3 pages .* 3 more .* than 5 \(MAX_PAGES_WAITING\)$/),
      })
      expect(await answersAbout(store, projectId, request.rootId)).toEqual(before)
      expect(before).toMatchObject({ root: undefined, progress: undefined, versions: [undefined] })
      // Others wait in a line of their own, and the key was not used up.
      await captures.accept(newRequest(other, { pages: 5 }), most)
      await captures.accept({ ...request, digest: 'other', pages: somePages(2) }, most)
      await expect(captures.accept(newRequest(projectId), most)).rejects.toMatchObject({
        code: 'rate_limited',
      })
      // What was accepted before is no more than it was.
      const again = { ...request, rootId: randomUUID(), digest: 'other', pages: somePages(2) }
      expect(await captures.accept(again, most)).toBe(request.rootId)
      // Under way is not over; what is put back waits again; what has ended makes room.
      const [one, two] = (await takeAll(store, { ...LEASE, rootId: request.rootId })) as [
        CaptureTask,
        CaptureTask,
      ]
      await captures.putBack(one, { now: NOW, due: 0, counts: true })
      await expect(captures.accept(newRequest(projectId), most)).rejects.toMatchObject({
        code: 'rate_limited',
      })
      await captures.finish(two, FAILURE, NOW)
      await captures.finish(two, FAILURE, NOW)
      await captures.accept(newRequest(projectId), most)
      await expect(captures.accept(newRequest(projectId), most)).rejects.toMatchObject({
        code: 'rate_limited',
      })
    })

    test('of many at once no more than may wait', async () => {
      const { one, projectId } = await openTwice()
      const outcomes = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          one(index)
            .captures.accept(newRequest(projectId, { pages: 2 }), { mostWaiting: 9 })
            .then(
              () => 'accepted',
              (error) => error.code,
            ),
        ),
      )
      expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(4)
      expect(outcomes.filter((outcome) => outcome === 'rate_limited')).toHaveLength(8)
      expect(await takeAll(one(0), LEASE)).toHaveLength(8)
    })
  })

  describe(`${name}: whose turn it is`, () => {
    const ORDER = ['A', 'B', 'C']
    /** Takes and finishes `count` of them, which take so long; says whose they were. */
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

    test('the pages of a request come in their order, and requests of a project one after the other', async () => {
      const { store, captures, projectId } = await open()
      const roots: string[] = []
      // Later ones that claim to be older do not push in.
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

    test('projects alternate, however many pages each asked for, and one that joins does so at once', async () => {
      const { store, projects, ask } = await threeProjects()
      await ask(0, 20)
      await ask(1, 5)
      expect(await work(store, projects, 4)).toBe('ABAB')
      await ask(2, 3)
      expect(await work(store, projects, 99)).toBe(`${'ABC'.repeat(3)}${'A'.repeat(15)}`)
    })

    test('a project that was served does not wait for the rest of another’s queue', async () => {
      const { store, projects, ask } = await threeProjects()
      await ask(0, 20)
      for (let round = 0; round < 3; round++) {
        await ask(1, 2)
        expect(await work(store, projects, 4)).toBe('ABAB')
      }
    })

    test('asking again and again gives a project no more than its turns', async () => {
      const { store, projects, ask } = await threeProjects()
      for (let round = 0; round < 6; round++) await ask(0, 1)
      await ask(1, 6)
      expect(await work(store, projects, 99)).toBe('AB'.repeat(6))
    })

    test('what counts is the time, not the pages', async () => {
      const { store, projects, ask } = await threeProjects()
      await ask(0, 9)
      await ask(1, 99)
      // A page of A takes as long as ten of B, but for what each costs beside its time.
      expect(await work(store, projects, 23, [10_900, 1_000, 0])).toBe(`${`A${'B'.repeat(10)}`.repeat(2)}A`)
    })

    test('what is under way counts for as long as it has taken', async () => {
      const { captures, projects, ask } = await threeProjects()
      await ask(0, 9)
      await ask(1, 9)
      const whose = async (at: number) =>
        ORDER[projects.indexOf((await captures.takeNext({ ...LEASE, now: NOW + at }))?.projectId ?? '')]
      expect([await whose(0), await whose(0)]).toEqual(['A', 'B'])
      const task = (await captures.takeNext({ ...LEASE, now: NOW + 1 })) as CaptureTask
      expect(task.projectId).toBe(projects[0])
      // A has two of them under way now, and so it uses twice as much.
      expect([await whose(5_000), await whose(5_000)]).toEqual(['B', 'B'])
    })

    test('who joins begins where those are that have used least, whatever it used before', async () => {
      const { store, projects, ask } = await threeProjects()
      await ask(1, 1)
      expect(await work(store, projects, 1, [0, 90_000])).toBe('B')
      await ask(0, 30)
      expect(await work(store, projects, 5, [9_900])).toBe('AAAAA')
      // Neither does B owe anything, nor has it saved up the time in which A was alone.
      await ask(1, 20)
      expect(await work(store, projects, 6, [9_900, 9_900])).toBe('ABABAB')
      expect(await work(store, projects, 6, [9_900, 900])).toBe(`A${'B'.repeat(5)}`)
    })

    test('what a lost attempt has used is no more than it was trusted for', async () => {
      const { store, captures, projects, ask } = await threeProjects()
      await ask(0, 9)
      await ask(1, 9)
      const lost = (await captures.takeNext(LEASE)) as CaptureTask
      expect(lost.projectId).toBe(projects[0])
      // A day later it is put back: twenty seconds were used, and what an attempt costs.
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

    test('for who has nothing under way only, if that is asked', async () => {
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

    test('many projects that have nothing due stand in nobody’s way', async () => {
      const { store, captures, projectId } = await open()
      for (let index = 0; index < 18; index++) {
        const held = { created: index, heldUntil: NOW + 1 }
        await captures.accept(newRequest(await makeProject(store), held))
      }
      const rootId = await captures.accept(newRequest(projectId))
      expect((await takeAll(store, LEASE)).map((task) => task.rootId)).toEqual([rootId])
      expect(await takeAll(store, { ...LEASE, now: NOW + 1 })).toHaveLength(18)
    })

    test('who joins while an early page is slow or tried again comes no sooner for that', async () => {
      const { store, captures, projects, ask } = await threeProjects()
      await ask(0, 12)
      const again = (await captures.takeNext(LEASE)) as CaptureTask
      // One is slow: it stays under way.
      await captures.takeNext(LEASE)
      await work(store, projects, 4)
      await captures.putBack(again, { now: NOW, due: NOW + 60_000, counts: true })
      await ask(1, 4)
      expect(await work(store, projects, 6)).toBe('ABABAB')
    })

    test('who joins where others are held for someone is not behind them', async () => {
      const { store, captures, projects, ask } = await threeProjects(NOW - 100)
      const held = { pages: 3, created: NOW - 500, heldUntil: NOW + 60_000 }
      await captures.accept(newRequest(projects[2], held))
      await ask(0, 6)
      await work(store, projects, 3)
      await ask(1, 3)
      expect(await work(store, projects, 99)).toBe('ABABAB')
    })

    test('what is held is for who asks for its root, until then or until it is let go', async () => {
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
      // Letting go of what is under way or unknown changes nothing.
      await captures.letGo({ projectId, rootId: letGo }, NOW)
      await captures.letGo({ projectId, rootId: randomUUID() }, NOW)
      expect(await takeAll(store, LEASE)).toEqual([])
    })

    test('only of one root, if that is asked', async () => {
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

  describe(`${name}: attempts`, () => {
    test('what was begun is nobody else’s, whatever the clock says, until it is put back', async () => {
      const { captures, projectId } = await open()
      await captures.accept(newRequest(projectId))
      const task = (await captures.takeNext(LEASE)) as CaptureTask
      for (const ahead of [-7_200_000, 20_001, 7_200_000, 691_200_000])
        expect(await captures.takeNext({ ...LEASE, now: NOW + ahead })).toBeUndefined()
      expect(await captures.putBack(task, DIED)).toBe(true)
      const next = await captures.takeNext(LEASE)
      // It was no fault of the page.
      expect(next).toMatchObject({ position: task.position, attempts: 1, deaths: 1 })
      expect(next?.uuid).not.toBe(task.uuid)
    })

    test('what is under way is told, and its lease changes when it is renewed', async () => {
      const { captures, projectId, rootId, tasks } = await begun(2)
      const [one, other] = tasks as [CaptureTask, CaptureTask]
      const underWay = async () => (await captures.findUnderWay()).toSorted((a, b) => a.position - b.position)
      const of = ({ uuid, position }: CaptureTask, lease: number) => {
        return { projectId, rootId, position, uuid, lease, deaths: 0 }
      }
      expect(await underWay()).toEqual([of(one, NOW + 20_000), of(other, NOW + 20_000)])
      expect(await captures.renew(one, NOW + 50_000)).toBe(true)
      expect(await underWay()).toEqual([of(one, NOW + 50_000), of(other, NOW + 20_000)])
      await captures.finish(one, PICTURE, NOW)
      await captures.putBack(other, { now: NOW, due: 0, counts: true })
      expect(await underWay()).toEqual([])
    })

    test('a page at which many processes died is for who asks for such pages, and for nobody else', async () => {
      const { store, captures, tasks } = await begun(2)
      let task = first(tasks)
      for (let deaths = 1; deaths < SUSPECT_DEATHS; deaths++) {
        await captures.putBack(task, DIED)
        expect(await captures.anySuspect(NOW)).toBe(false)
        expect(await captures.takeNext({ ...LEASE, suspects: true })).toBeUndefined()
        task = (await captures.takeNext(LEASE)) as CaptureTask
        expect(task).toMatchObject({ position: 0, attempts: 1, deaths })
      }
      await captures.putBack(task, { ...DIED, due: NOW + 5 })
      expect(await captures.anySuspect(NOW + 4)).toBe(false)
      expect(await captures.anySuspect(NOW + 5)).toBe(true)
      const later = { ...LEASE, now: NOW + 5 }
      expect(await takeAll(store, later)).toEqual([])
      expect(await captures.takeNext({ ...later, rootId: task.rootId })).toBeUndefined()
      const suspect = await captures.takeNext({ ...later, suspects: true })
      expect(suspect).toMatchObject({ position: 0, attempts: 1, deaths: SUSPECT_DEATHS })
      expect(await captures.anySuspect(NOW + 5)).toBe(false)
    })

    test.each([
      ['put back', 66_000, async ({ captures, tasks }: Begun) => captures.putBack(first(tasks), AHEAD)],
      [
        'held',
        661_000,
        async ({ captures, projectId }: Begun) =>
          captures.accept(newRequest(projectId, { heldUntil: AHEAD.due })),
      ],
    ])('what was %s by a clock that was ahead does not wait until then', async (_, bound, put) => {
      const opened = await begun(1)
      await put(opened)
      const { captures } = opened
      expect(await captures.takeNext({ ...LEASE, now: AHEAD.due - bound + 2_000 })).toBeUndefined()
      expect(await captures.takeNext({ ...LEASE, now: AHEAD.due - bound - 2_000 })).toBeDefined()
    })

    test('what was put back is due when it was said, and not before', async () => {
      const { captures, projectId, rootId, tasks } = await begun(1)
      await captures.putBack(first(tasks), { now: NOW, due: NOW + 7, counts: true })
      expect((await captures.findProgress(projectId, rootId))?.captures).toMatchObject([
        { state: 'queued', attempts: 1, started: undefined, uuid: undefined },
      ])
      expect(await captures.takeNext({ ...LEASE, now: NOW + 6 })).toBeUndefined()
      expect(await captures.takeNext({ ...LEASE, now: NOW + 7 })).toMatchObject({ attempts: 2 })
    })

    test('an attempt that does not count was none', async () => {
      const { captures, projectId, rootId, tasks } = await begun(1)
      await captures.putBack(first(tasks), { now: NOW, due: 0, counts: false })
      expect((await captures.findProgress(projectId, rootId))?.captures).toMatchObject([
        { state: 'queued', attempts: 0 },
      ])
      expect(await captures.takeNext(LEASE)).toMatchObject({ attempts: 1 })
    })

    test.each([true, false])('nor before for who asks for its root (counted: %s)', async (counts) => {
      const { captures, rootId, tasks } = await begun(1)
      await captures.putBack(first(tasks), { now: NOW, due: NOW + 7, counts })
      expect(await captures.takeNext({ ...LEASE, now: NOW + 6, rootId })).toBeUndefined()
      expect(await captures.takeNext({ ...LEASE, now: NOW + 7, rootId })).toBeDefined()
    })

    test.each([
      ['took over', takeOver],
      [
        'took over and ended it',
        async (store: Store, old: Attempt) =>
          expect(await store.captures.finish(await takeOver(store, old), PICTURE, NOW)).toBe(true),
      ],
      [
        'took over and failed',
        async (store: Store, old: Attempt) =>
          expect(await store.captures.finish(await takeOver(store, old), FAILURE, NOW)).toBe(true),
      ],
      [
        'put it back',
        (store: Store, old: Attempt) => store.captures.putBack(old, { now: NOW, due: 0, counts: true }),
      ],
      [
        'put it back without counting it',
        (store: Store, old: Attempt) => store.captures.putBack(old, { now: NOW, due: 0, counts: false }),
      ],
    ])('after another %s, the one before changes nothing, whatever it does', async (_, another) => {
      const { store, captures, projectId, rootId, tasks } = await begun(2)
      const old = first(tasks)
      await another(store, old)
      const before = await answersAbout(store, projectId, rootId)
      const underWay = await captures.findUnderWay()
      expect(await captures.finish(old, PICTURE, NOW + 1)).toBe(false)
      expect(await captures.finish(old, FAILURE, NOW + 1)).toBe(false)
      expect(await captures.renew(old, NOW + 99_999)).toBe(false)
      for (const counts of [true, false])
        expect(await captures.putBack(old, { now: NOW, due: NOW + 9_999, counts })).toBe(false)
      expect(await captures.putBack(old, DIED)).toBe(false)
      expect(await answersAbout(store, projectId, rootId)).toEqual(before)
      // Neither was the lease or the due time of the other's moved.
      expect(await captures.findUnderWay()).toEqual(underWay)
      const queued = before.progress?.captures[0]?.state === 'queued'
      expect((await captures.takeNext({ ...LEASE, rootId }))?.position).toBe(queued ? 0 : undefined)
    })

    test('an attempt that never was ends nothing', async () => {
      const { store, captures, projectId, rootId, tasks } = await begun(2)
      const before = await answersAbout(store, projectId, rootId)
      const [one, other] = tasks as [CaptureTask, CaptureTask]
      for (const wrong of [
        { ...one, uuid: randomUUID() },
        { ...one, uuid: other.uuid },
        { ...one, position: 7 },
        { ...one, projectId: randomUUID() },
      ]) {
        expect(await captures.finish(wrong, PICTURE, NOW)).toBe(false)
        expect(await captures.renew(wrong, NOW)).toBe(false)
        await captures.putBack(wrong, { now: NOW, due: 0, counts: true })
      }
      expect(await answersAbout(store, projectId, rootId)).toEqual(before)
    })
  })

  describe(`${name}: results`, () => {
    test('a finished capture is a job with the attempt’s id, where it was asked for', async () => {
      const { store, captures, projectId, rootId, tasks } = await begun(3)
      const before = await answersAbout(store, projectId, rootId)
      const task = tasks[1] as CaptureTask
      const seen = newSeen({
        title: 'Ω “quoted” \\ \n 😀 \x1e\x1f',
        failedResources: 3,
        marks: ['cut', 'incomplete'],
      })
      const picture = { width: 800, height: 6_000, basepath: '/x', seen }
      expect(await captures.finish(task, picture, NOW + 5)).toBe(true)
      const after = await answersAbout(store, projectId, rootId)
      expect(after.jobs).toEqual([
        {
          rootId,
          position: 1,
          uuid: task.uuid,
          url: task.url,
          name: task.name,
          loadingTime: task.loadingTime,
          created: NOW + 5,
          basepath: '/x',
          width: 800,
          height: 6_000,
        },
      ])
      expect(after.root).toEqual({ ...before.root, jobCount: 1, revision: expect.any(String) })
      expect(after.root?.revision).not.toBe(before.root?.revision)
      expect(after.project?.revision).not.toBe(before.project?.revision)
      expect(after.progress?.captures[1]).toMatchObject({
        state: 'done',
        uuid: task.uuid,
        cut: true,
        seen,
        attempts: 1,
        started: NOW,
        finished: NOW + 5,
        failed: undefined,
      })
      expect(await store.countProjects()).toMatchObject([{ jobs: 1 }])
    })

    test('a failed one is none, and changes no answer but its progress', async () => {
      const { store, captures, projectId, rootId, tasks } = await begun(2)
      const before = await answersAbout(store, projectId, rootId)
      expect(await captures.finish(first(tasks), FAILURE, NOW + 5)).toBe(true)
      const after = await answersAbout(store, projectId, rootId)
      expect(after).toMatchObject({ project: before.project, root: before.root, jobs: [] })
      expect(after.progress?.captures[0]).toMatchObject({
        state: 'failed',
        failed: FAILURE,
        uuid: undefined,
        cut: false,
        finished: NOW + 5,
      })
    })

    test('jobs are in the order of the request, whenever they came and whichever are missing', async () => {
      const { store, captures, projectId, rootId, tasks } = await begun(6)
      for (const position of [4, 1, 5]) await captures.finish(tasks[position] as CaptureTask, PICTURE, NOW)
      for (const position of [0, 3]) await captures.finish(tasks[position] as CaptureTask, FAILURE, NOW)
      const seen = [1, 4, 5].map((position) => ({ position, uuid: tasks[position]?.uuid }))
      expect(await store.jobsOf(projectId, [rootId])).toMatchObject(seen)
      const texts = (await store.textsOf(projectId, [rootId])).get(rootId)?.jobs ?? []
      expect(texts).toMatchObject(seen)
      expect(texts[0]?.fields).toContain('"url":{"url":"https://example.com/1"')
      const page = async (from: number, limit: number) =>
        (await store.pageTexts(projectId, rootId, { from, limit }))?.jobs
      expect(await page(0, 9)).toEqual(texts)
      expect(await page(0, 1)).toEqual(texts.slice(0, 1))
      expect(await page(2, 1)).toEqual(texts.slice(1, 2))
      expect(await page(5, 9)).toEqual(texts.slice(2))
      expect(await page(6, 9)).toEqual([])
      // The one that is still missing comes in between.
      await captures.finish(tasks[2] as CaptureTask, PICTURE, NOW)
      expect((await store.jobsOf(projectId, [rootId])).map(({ position }) => position)).toEqual([1, 2, 4, 5])
    })
  })

  describe(`${name}: progress`, () => {
    test('its version counts up with everything that happens, and is that of what happened last', async () => {
      const { captures, projectId } = await open()
      const rootId = await captures.accept(newRequest(projectId, { pages: 2 }))
      let last = 0
      const happened = async (position: number) => {
        const progress = await captures.findProgress(projectId, rootId)
        const [found] = await captures.findVersions([{ projectId, rootId }])
        const changes = progress?.captures.map(({ changed }) => changed) ?? []
        expect(progress?.version).toBe(last + 1)
        expect(found).toBe(last + 1)
        expect(Math.max(...changes)).toBe(last + 1)
        expect(changes[position]).toBe(last + 1)
        last += 1
      }
      await happened(0)
      const one = (await captures.takeNext(LEASE)) as CaptureTask
      await happened(0)
      await captures.putBack(one, { now: NOW, due: 0, counts: false })
      await happened(0)
      await captures.putBack((await captures.takeNext(LEASE)) as CaptureTask, DIED)
      last += 1
      await happened(0)
      const again = (await captures.takeNext(LEASE)) as CaptureTask
      await happened(0)
      await captures.finish(again, FAILURE, NOW)
      await happened(0)
      await captures.finish((await captures.takeNext(LEASE)) as CaptureTask, PICTURE, NOW)
      last += 1
      await happened(1)
    })

    test('of an imported or an unknown root there is none', async () => {
      const { store, captures, projectId } = await open()
      const imported = await addRows(store, projectId)
      expect(await captures.findProgress(projectId, imported)).toBeUndefined()
      expect(await captures.findProgress(projectId, randomUUID())).toBeUndefined()
      const rootId = await captures.accept(newRequest(projectId))
      expect(await captures.findProgress(await makeProject(store), rootId)).toBeUndefined()
    })

    test('of a finished request is taken over by another store as it is, once', async () => {
      const { store, captures, projectId, rootId, tasks } = await begun(3)
      await captures.finish(
        tasks[2] as CaptureTask,
        { ...PICTURE, seen: newSeen({ marks: ['cut'] }) },
        NOW + 1,
      )
      await captures.finish(tasks[0] as CaptureTask, PICTURE, NOW + 2)
      await captures.finish(tasks[1] as CaptureTask, FAILURE, NOW + 3)
      const given = await answersAbout(store, projectId, rootId)
      const other = await driver.open(await driver.newPlace())
      await makeProject(other, projectId)
      const created = given.root?.created ?? 0
      const jobs = given.jobs.map(({ rootId: _, ...job }) => job)
      await other.addRoot({ projectId, rootId, created, digest: 'digest', jobs }, async () => {})
      for (const _ of [1, 2]) {
        await other.captures.adopt(projectId, rootId, given.progress as NonNullable<typeof given.progress>)
        const taken = await answersAbout(other, projectId, rootId)
        expect(taken).toMatchObject({ jobs: given.jobs, progress: given.progress, versions: given.versions })
        expect(taken.progress).toEqual(given.progress)
      }
      expect(await other.captures.anyUnfinished()).toBe(false)
    })

    test('versions are answered in the order of the question, also for what is unknown', async () => {
      const { store, captures, projectId } = await open()
      const other = await makeProject(store)
      const one = await captures.accept(newRequest(projectId, { pages: 2 }))
      const two = await captures.accept(newRequest(other, { pages: 3 }))
      await captures.finish((await captures.takeNext({ ...LEASE, rootId: one })) as CaptureTask, FAILURE, NOW)
      const imported = await addRows(store, projectId)
      expect(await captures.findVersions([])).toEqual([])
      expect(
        await captures.findVersions([
          { projectId: other, rootId: two },
          { projectId, rootId: two },
          { projectId, rootId: imported },
          { projectId, rootId: one },
          { projectId: randomUUID(), rootId: one },
          { projectId: other, rootId: two },
        ]),
      ).toEqual([1, undefined, undefined, 3, undefined, 1])
    })

    test('something is unfinished until everything is done or failed', async () => {
      const { captures, tasks } = await begun(3)
      const [one, two, three] = tasks as [CaptureTask, CaptureTask, CaptureTask]
      await captures.finish(one, PICTURE, NOW)
      await captures.finish(two, FAILURE, NOW)
      expect(await captures.anyUnfinished()).toBe(true)
      await captures.putBack(three, { now: NOW, due: NOW + 1e9, counts: true })
      expect(await captures.anyUnfinished()).toBe(true)
      const late = (await captures.takeNext({ ...LEASE, now: NOW + 1e9 })) as CaptureTask
      await captures.finish(late, PICTURE, NOW)
      expect(await captures.anyUnfinished()).toBe(false)
    })
  })

  describe(`${name}: many at once, through two stores`, () => {
    test('eight that take never take the same one', async () => {
      const { one, projectId } = await openTwice()
      const other = await makeProject(one(0))
      await one(0).captures.accept(newRequest(projectId, { pages: 25 }))
      await one(1).captures.accept(newRequest(other, { pages: 15 }))
      const taken = await Promise.all(Array.from({ length: 8 }, (_, index) => takeAll(one(index), LEASE)))
      const tasks = taken.flat()
      expect(tasks).toHaveLength(40)
      expect(new Set(tasks.map(({ rootId, position }) => `${rootId} ${position}`)).size).toBe(40)
      expect(new Set(tasks.map(({ attempts }) => attempts))).toEqual(new Set([1]))
    })

    test('eight that take one each, of eight, all get one', async () => {
      const { one, projectId } = await openTwice()
      await one(0).captures.accept(newRequest(projectId, { pages: 8 }))
      const taken = await Promise.all(
        Array.from({ length: 8 }, (_, index) => one(index).captures.takeNext(LEASE)),
      )
      expect(taken.map((task) => task?.position).toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    })

    test('eight that finish captures of one root lose nothing', async () => {
      const { one, projectId } = await openTwice()
      const rootId = await one(0).captures.accept(newRequest(projectId, { pages: 32 }))
      const tasks = await takeAll(one(0), LEASE)
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, async (_, index) => {
          const own = tasks.filter(({ position }) => position % 8 === index)
          const ended: boolean[] = []
          for (const task of own) {
            const outcome = task.position < 8 ? FAILURE : PICTURE
            ended.push(await one(index).captures.finish(task, outcome, NOW))
          }
          return ended
        }),
      )
      expect(outcomes.flat()).toEqual(tasks.map(() => true))
      expect(await one(1).findRoot(projectId, rootId)).toMatchObject({ jobCount: 24 })
      expect(await one(1).jobsOf(projectId, [rootId])).toHaveLength(24)
      expect(await one(1).captures.findVersions([{ projectId, rootId }])).toEqual([1 + 32 + 32])
      const progress = await one(1).captures.findProgress(projectId, rootId)
      // Each of them happened at an instant of its own.
      expect(new Set(progress?.captures.map(({ changed }) => changed)).size).toBe(32)
    })

    test('one attempt that is ended by many is ended once', async () => {
      const { one, projectId } = await openTwice()
      const rootId = await one(0).captures.accept(newRequest(projectId))
      const [task] = await takeAll(one(0), LEASE)
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          one(index).captures.finish(task as CaptureTask, index % 3 ? PICTURE : FAILURE, NOW),
        ),
      )
      expect(outcomes.filter(Boolean)).toHaveLength(1)
      expect(await one(0).captures.findVersions([{ projectId, rootId }])).toEqual([3])
    })

    test('of many that begin one capture only the last can end it', async () => {
      const { one, projectId } = await openTwice()
      const rootId = await one(0).captures.accept(newRequest(projectId))
      // Each finds what is under way lost, unless another was faster.
      const taken = await Promise.all(
        Array.from({ length: 8 }, async (_, index) => {
          const { captures } = one(index)
          for (const attempt of await captures.findUnderWay()) await captures.putBack(attempt, DIED)
          return (await captures.takeNext(LEASE)) ?? (await captures.takeNext({ ...LEASE, suspects: true }))
        }),
      )
      const tasks = taken.filter((task) => task !== undefined)
      const [last] = await one(0).captures.findUnderWay()
      // Each of them counted once.
      expect(tasks.map((task) => task.deaths).toSorted()).toEqual(tasks.map((_, index) => index))
      const outcomes = await Promise.all(
        tasks.map((task, index) => one(index).captures.finish(task, PICTURE, NOW)),
      )
      expect(tasks.filter((_, index) => outcomes[index])).toMatchObject([
        { uuid: last?.uuid, attempts: 1, deaths: tasks.length - 1 },
      ])
      expect(await one(0).jobsOf(projectId, [rootId])).toHaveLength(1)
    })

    test('accepting, taking, giving back and finishing in one project wait for nobody in a circle', async () => {
      const { one, projectId } = await openTwice()
      const accepted: string[] = []
      const takers = Array.from({ length: 8 }, async (_, index) => {
        const { captures } = one(index)
        for (let round = 0; round < 6; round++) {
          const request = newRequest(projectId, { pages: 2, idempotencyKey: `${index % 3} ${round}` })
          accepted.push(await captures.accept(request))
          const task = await captures.takeNext(LEASE)
          const other = await captures.takeNext(LEASE)
          if (task) await captures.finish(task, index % 2 ? PICTURE : FAILURE, NOW)
          if (other) await captures.putBack(other, { now: NOW, due: 0, counts: round % 2 === 0 })
        }
      })
      await Promise.all(takers)
      expect(new Set(accepted).size).toBe(18)
      for (const task of await takeAll(one(0), LEASE)) await one(0).captures.finish(task, PICTURE, NOW)
      expect(await one(1).captures.anyUnfinished()).toBe(false)
    })
  })

  describe(`${name}: against a model`, () => {
    const small = fc.nat({ max: 5 })
    const operation = fc.oneof(
      { weight: 2, arbitrary: fc.tuple(fc.constant('accept' as const), small, small) },
      { weight: 4, arbitrary: fc.tuple(fc.constant('takeNext' as const), small, small) },
      { weight: 2, arbitrary: fc.tuple(fc.constant('takeIdle' as const), small, small) },
      { weight: 1, arbitrary: fc.tuple(fc.constant('takeSuspect' as const), small, small) },
      { weight: 1, arbitrary: fc.tuple(fc.constant('renew' as const), small, small) },
      { weight: 4, arbitrary: fc.tuple(fc.constant('finish' as const), small, small) },
      { weight: 2, arbitrary: fc.tuple(fc.constant('putBack' as const), small, small) },
      { weight: 1, arbitrary: fc.tuple(fc.constant('wait' as const), small, small) },
    )

    test('property: whatever is done, it is what the model says', { timeout: rounds(180_000) }, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { minLength: 10, maxLength: 50 }), async (operations) => {
          const { store, captures, projectId } = await open()
          const projects = [projectId, await makeProject(store), await makeProject(store)]
          const model = new CapturesModel()
          const attempts: Attempt[] = []
          // The sixth from the end at most: old enough to have been overtaken, new enough to matter.
          const attemptAt = (back: number) => attempts.at(-1 - back)
          let now = NOW
          const agree = (actual: unknown, expected: unknown) => expect(actual).toEqual(expected)
          const begin = (task: CaptureTask | undefined, expected: ReturnType<CapturesModel['next']>) => {
            agree(task && [task.rootId, task.position], expected && [expected.rootId, expected.position])
            if (!task || !expected) return
            model.begin(expected, task.uuid, { now, leaseMs: 20_000 })
            agree([task.attempts, task.deaths], [expected.attempts, expected.deaths])
            attempts.push(task)
          }
          for (const [what, one, other] of operations) {
            // No two requests in one instant: then their order would be anybody's.
            now += 1
            const attempt = attemptAt(one)
            if (what === 'accept') {
              const idempotencyKey = other < 3 ? undefined : `${other}`
              const digest = `${one % 2}`
              const project = projects[(one + other) % 3] as string
              const request = newRequest(project, { pages: one + 1, created: now, idempotencyKey, digest })
              const sure = other === 5 ? { ...request, digest: `${one}` } : request
              const answer = await captures.accept(sure).catch((error) => error.code)
              agree(answer, model.accept(sure))
            } else if (what === 'takeNext') {
              begin(await captures.takeNext({ now, leaseMs: 20_000 }), model.next(now))
            } else if (what === 'takeIdle') {
              const expected = model.next(now, { idleOnly: true })
              begin(await captures.takeNext({ now, leaseMs: 20_000, idleOnly: true }), expected)
            } else if (what === 'takeSuspect') {
              const expected = model.next(now, { suspects: true })
              begin(await captures.takeNext({ now, leaseMs: 20_000, suspects: true }), expected)
            } else if (what === 'wait') {
              now += other * 5_000
            } else if (attempt) {
              const current = model.of(attempt.uuid)
              if (what === 'renew') {
                agree(await captures.renew(attempt, now + 30_000), current !== undefined)
                if (current) current.lease = now + 30_000
              } else if (what === 'finish') {
                const outcome = other < 2 ? FAILURE : PICTURE
                agree(await captures.finish(attempt, outcome, now), current !== undefined)
                if (current) model.end(current, other < 2 ? 'failed' : 'done', now)
              } else {
                const options = { now, due: now + other * 1_000, counts: other % 2 === 0, died: other > 2 }
                agree(await captures.putBack(attempt, options), current !== undefined)
                if (current) model.putBack(current, options)
              }
            }
          }
          for (const request of model.requests) {
            const pages = model.pagesOf(request.rootId)
            const done = pages.filter(({ state }) => state === 'done')
            const { root, jobs, progress, versions } = await answersAbout(
              store,
              request.projectId,
              request.rootId,
            )
            agree(root?.jobCount, done.length)
            agree(
              jobs.map(({ position, uuid }) => [position, uuid]),
              done.map(({ position, attempt }) => [position, attempt]),
            )
            agree(versions, [request.version])
            agree(progress?.version, request.version)
            agree(
              progress?.captures.map((page) => [page.state, page.attempts, page.changed]),
              pages.map((page) => [page.state, page.attempts, page.changed]),
            )
          }
          agree(
            await captures.anyUnfinished(),
            model.captures.some((page) => !model.isFinished(page)),
          )
          agree(await captures.findBacklog(), model.backlog())
        }),
        { numRuns: rounds(12) },
      )
    })
  })
}
