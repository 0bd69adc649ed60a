import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { CaptureTask } from '../../src/store/captures.ts'
import { answersAbout, FAILURE, newRequest, newSeen, PICTURE } from '../support/store/captures.ts'
import { addRows, makeProject } from '../support/store/results.ts'
import { capturesOf, DIED, first, LEASE, NOW } from './open-captures.ts'
import type { StoreDriver } from './store-driver.ts'

/** Results and progress of a request. */
export function progressSuite(name: string, driver: StoreDriver): void {
  const { open, begun } = capturesOf(driver)

  describe(`${name}: results`, () => {
    test('a finished capture becomes a job at its position, with the id of the attempt', async () => {
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
          picture: task.uuid,
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

    test('a failed capture becomes no job, and changes nothing but the progress', async () => {
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

    test('jobs are in the order of the request, whenever they finished and whichever are missing', async () => {
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
      // The missing one will be in between.
      await captures.finish(tasks[2] as CaptureTask, PICTURE, NOW)
      expect((await store.jobsOf(projectId, [rootId])).map(({ position }) => position)).toEqual([1, 2, 4, 5])
    })
  })

  describe(`${name}: progress`, () => {
    test('has a version that increases with every change, and is that of the last one', async () => {
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

    test('is missing for an imported or an unknown root', async () => {
      const { store, captures, projectId } = await open()
      const imported = await addRows(store, projectId)
      expect(await captures.findProgress(projectId, imported)).toBeUndefined()
      expect(await captures.findProgress(projectId, randomUUID())).toBeUndefined()
      const rootId = await captures.accept(newRequest(projectId))
      expect(await captures.findProgress(await makeProject(store), rootId)).toBeUndefined()
    })

    test('of a finished request can be adopted unchanged by another store, once', async () => {
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

    test('versions are returned in the order of the query, including unknown roots', async () => {
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

    test('captures are unfinished until all are done or failed', async () => {
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
}
