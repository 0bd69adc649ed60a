import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { CaptureTask } from '../../src/store/captures.ts'
import { answersAbout, FAILURE, newRequest, PICTURE, somePages, takeAll } from '../support/store/captures.ts'
import { addRows, makeProject } from '../support/store/results.ts'
import { capturesOf, first, LEASE, NOW } from './open-captures.ts'
import type { StoreDriver } from './store-driver.ts'

/** What a store does with a request. */
export function acceptingSuite(name: string, driver: StoreDriver): void {
  const { open, openTwice } = capturesOf(driver)

  describe(`${name}: accepting a request`, () => {
    test('creates an empty root at once, and changes all revisions', async () => {
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

    test('counts the backlog: waiting and running captures, and the oldest one', async () => {
      const { store, captures, projectId } = await open()
      const none = { waiting: 0, running: 0, oldest: undefined }
      expect([await captures.findBacklog(), await captures.anyDueSince(1e15)]).toEqual([none, false])
      await captures.accept(newRequest(projectId, { pages: 1, created: 50 }))
      await captures.accept(newRequest(projectId, { pages: 2, created: 90, heldUntil: 500 }))
      expect(await captures.findBacklog()).toEqual({ waiting: 3, running: 0, oldest: 50 })
      expect([await captures.anyDueSince(49), await captures.anyDueSince(50)]).toEqual([false, true])
      const task = first(await takeAll(store, { now: 60, leaseMs: 1_000 }))
      expect(await captures.findBacklog()).toEqual({ waiting: 2, running: 1, oldest: 90 })
      // One capture runs, the others are held.
      expect([await captures.anyDueSince(400), await captures.anyDueSince(500)]).toEqual([false, true])
      await captures.finish(task, PICTURE, 70)
      expect(await captures.findBacklog()).toEqual({ waiting: 2, running: 0, oldest: 90 })
    })

    test('stores the pages in their order, to the character', async () => {
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
        counts: { total: 2, queued: 2, running: 0, done: 0, failed: 0 },
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

    test('works for as many pages as one request may have', async () => {
      const { captures, projectId } = await open()
      const rootId = await captures.accept(newRequest(projectId, { pages: 1_000 }))
      const progress = await captures.findProgress(projectId, rootId)
      expect(progress?.captures.map(({ url }) => url)).toEqual(somePages(1_000).map(({ url }) => url))
    })

    test('is not_found for an unknown project, and leaves nothing behind', async () => {
      const { store, captures } = await open()
      const request = newRequest(randomUUID(), { idempotencyKey: 'key' })
      await expect(captures.accept(request)).rejects.toMatchObject({ code: 'not_found' })
      expect(await store.findRoot(request.projectId, request.rootId)).toBeUndefined()
      expect(await captures.findProgress(request.projectId, request.rootId)).toBeUndefined()
      expect(await captures.anyUnfinished()).toBe(false)
    })

    test('with the same key and content returns the first root, and changes nothing', async () => {
      const { store, captures, projectId } = await open()
      const request = newRequest(projectId, { idempotencyKey: 'key', pages: 2 })
      await captures.accept(request)
      const before = await answersAbout(store, projectId, request.rootId)
      expect(await captures.accept({ ...request, rootId: randomUUID(), created: 5 })).toBe(request.rootId)
      expect(await answersAbout(store, projectId, request.rootId)).toEqual(before)
      expect(await store.pageRoots(projectId, { limit: 9 })).toHaveLength(1)
      // This also holds when everything is finished.
      for (const task of await takeAll(store, LEASE)) await captures.finish(task, PICTURE, NOW)
      expect(await captures.accept({ ...request, rootId: randomUUID() })).toBe(request.rootId)
      expect(await captures.anyUnfinished()).toBe(false)
    })

    test('with the same key and other content is a conflict, and leaves nothing behind', async () => {
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

    test('many times at once with one key creates one root', async () => {
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

    test('many times at once with one key and different content succeeds once', async () => {
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

    test('uses idempotency keys separately in each project', async () => {
      const { store, captures, projectId } = await open()
      const other = await makeProject(store)
      const ids = [projectId, other].map((id) =>
        captures.accept(newRequest(id, { idempotencyKey: 'key', digest: id })),
      )
      expect(new Set(await Promise.all(ids)).size).toBe(2)
    })

    test('without an idempotency key always creates a root', async () => {
      const { store, captures, projectId } = await open()
      const ids = await Promise.all(Array.from({ length: 5 }, () => captures.accept(newRequest(projectId))))
      expect(new Set(ids).size).toBe(5)
      expect(await store.pageRoots(projectId, { limit: 9 })).toHaveLength(5)
    })

    test('of too many waiting pages is refused, and nothing is half done', async () => {
      const { store, captures, projectId } = await open()
      const other = await makeProject(store)
      const most = { mostWaiting: 5 }
      await captures.accept(newRequest(projectId, { pages: 3 }), most)
      const request = newRequest(projectId, { pages: 3, idempotencyKey: 'key' })
      const before = await answersAbout(store, projectId, request.rootId)
      await expect(captures.accept(request, most)).rejects.toMatchObject({
        ...{ code: 'rate_limited', retryAfterS: 60 },
        message: expect.stringMatching(/3 waiting pages; 3 more .* limit of 5 \(MAX_PAGES_WAITING\)$/),
      })
      expect(await answersAbout(store, projectId, request.rootId)).toEqual(before)
      expect(before).toMatchObject({ root: undefined, progress: undefined, versions: [undefined] })
      // Other projects have their own limit, and the idempotency key is still free.
      await captures.accept(newRequest(other, { pages: 5 }), most)
      await captures.accept({ ...request, digest: 'other', pages: somePages(2) }, most)
      await expect(captures.accept(newRequest(projectId), most)).rejects.toMatchObject({
        code: 'rate_limited',
      })
      // A repeated request adds no waiting pages.
      const again = { ...request, rootId: randomUUID(), digest: 'other', pages: somePages(2) }
      expect(await captures.accept(again, most)).toBe(request.rootId)
      // Running pages count; pages that are put back wait again; finished ones make room.
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

    test('many times at once never exceeds the limit of waiting pages', async () => {
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
}
