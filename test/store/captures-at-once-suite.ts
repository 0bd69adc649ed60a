import { describe, expect, test } from 'vitest'
import type { CaptureTask } from '../../src/store/captures.ts'
import { FAILURE, newRequest, PICTURE, takeAll } from '../support/store/captures.ts'
import { makeProject } from '../support/store/results.ts'
import { capturesOf, DIED, LEASE, NOW } from './open-captures.ts'
import type { StoreDriver } from './store-driver.ts'

/** Simultaneous work on one database. */
export function capturesAtOnceSuite(name: string, driver: StoreDriver): void {
  const { openTwice } = capturesOf(driver)

  describe(`${name}: simultaneous callers, through two stores`, () => {
    test('eight callers never take the same capture', async () => {
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

    test('eight callers that each take one of eight captures all get one', async () => {
      const { one, projectId } = await openTwice()
      await one(0).captures.accept(newRequest(projectId, { pages: 8 }))
      const taken = await Promise.all(
        Array.from({ length: 8 }, (_, index) => one(index).captures.takeNext(LEASE)),
      )
      expect(taken.map((task) => task?.position).toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    })

    test('eight callers that finish captures of one root lose nothing', async () => {
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
      // Each of them happened at a time of its own.
      expect(new Set(progress?.captures.map(({ changed }) => changed)).size).toBe(32)
    })

    test('an attempt that several callers end is ended once', async () => {
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

    test('when many callers begin one capture, only the last can end it', async () => {
      const { one, projectId } = await openTwice()
      const rootId = await one(0).captures.accept(newRequest(projectId))
      // Each caller finds the running attempt lost, unless another was faster.
      const taken = await Promise.all(
        Array.from({ length: 8 }, async (_, index) => {
          const { captures } = one(index)
          for (const attempt of await captures.findUnderWay()) await captures.putBack(attempt, DIED)
          return (await captures.takeNext(LEASE)) ?? (await captures.takeNext({ ...LEASE, suspects: true }))
        }),
      )
      const tasks = taken.filter((task) => task !== undefined)
      const [last] = await one(0).captures.findUnderWay()
      // Each takeover was counted once.
      expect(tasks.map((task) => task.deaths).toSorted()).toEqual(tasks.map((_, index) => index))
      const outcomes = await Promise.all(
        tasks.map((task, index) => one(index).captures.finish(task, PICTURE, NOW)),
      )
      expect(tasks.filter((_, index) => outcomes[index])).toMatchObject([
        { uuid: last?.uuid, attempts: 1, deaths: tasks.length - 1 },
      ])
      expect(await one(0).jobsOf(projectId, [rootId])).toHaveLength(1)
    })

    test('accepting, taking, putting back and finishing in one project cause no deadlock', async () => {
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
}
