import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { NewSchedule, Occurrence, StoredSchedule } from '../../src/store/schedules.ts'
import type { Store } from '../../src/store/store.ts'
import { newRequest, PICTURE, takeAll } from '../support/store/captures.ts'
import { makeProject } from '../support/store/results.ts'
import { capturesOf, LEASE, NOW } from './open-captures.ts'
import type { StoreDriver } from './store-driver.ts'

const HOUR = 3_600_000

export function newSchedule(projectId: string, more: Partial<NewSchedule> = {}): NewSchedule {
  return {
    projectId,
    scheduleId: randomUUID(),
    name: 'Nightly',
    templateId: undefined,
    request: '{"urls":[]}',
    sealed: undefined,
    cron: undefined,
    timezone: undefined,
    every: '1h',
    overlap: 'skip',
    paused: false,
    created: NOW,
    next: { next: NOW + HOUR, due: NOW + HOUR + 7 },
    ...more,
  }
}

/** What every store does with recurring schedules. */
export function schedulesSuite(name: string, driver: StoreDriver): void {
  const { open, openTwice } = capturesOf(driver)
  const occurrenceOf = ({ next }: StoredSchedule, more: Partial<Occurrence> = {}): Occurrence => {
    const time = next?.next ?? 0
    const after = { next: time + HOUR, due: time + HOUR + 7 }
    return { time, missed: 0, lateMs: undefined, next: after, ...more }
  }
  const run = async (
    { schedules }: Store,
    schedule: StoredSchedule,
    more: Partial<Occurrence> & { problem?: string; mostWaiting?: number } = {},
  ) => {
    const { problem, mostWaiting, ...rest } = more
    const occurrence = occurrenceOf(schedule, rest)
    const { projectId, scheduleId } = schedule
    const origin = { schedule: { scheduleId, occurrence: occurrence.time } }
    const request = problem === undefined ? newRequest(projectId, { created: NOW, origin }) : { problem }
    return await schedules.run(schedule, occurrence, { now: NOW, request, mostWaiting })
  }
  const again = async ({ schedules }: Store, schedule: StoredSchedule) => {
    const found = await schedules.find(schedule)
    if (!found) throw new Error('there is no such schedule')
    return found
  }

  describe(`${name}: schedules`, () => {
    test('are stored as given, and counted', async () => {
      const { store, projectId } = await open()
      const { schedules } = store
      const given = [
        newSchedule(projectId, {
          created: 3,
          cron: '0 2 * * *',
          timezone: 'Europe/Berlin',
          every: undefined,
        }),
        newSchedule(projectId, { created: 1, templateId: randomUUID(), request: undefined, overlap: 'run' }),
        newSchedule(projectId, { created: 3, paused: true, next: undefined, sealed: '1.k1.secret' }),
      ]
      const none = { runs: 0, late: 0, skipped: 0, problem: undefined, lastRoot: undefined }
      for (const each of given) {
        expect(await schedules.create(each)).toMatchObject({ ...each, ...none })
        expect(await schedules.find(each)).toMatchObject({ ...each, ...none })
      }
      const [first = newSchedule(projectId)] = given
      const change = { ...first, name: 'Weekly', paused: true, next: undefined, changed: 9 }
      expect(await schedules.change(change)).toMatchObject(change)
      expect(await schedules.find(first)).toMatchObject(change)
      expect(await schedules.page(projectId, { limit: 10 })).toHaveLength(3)
    })

    test('can be changed without changing the next time, even if it has moved meanwhile', async () => {
      const { store, projectId } = await open()
      const schedule = await store.schedules.create(newSchedule(projectId))
      await run(store, schedule)
      const changed = await store.schedules.change(
        { ...schedule, name: 'Other', changed: 9 },
        { revision: schedule.revision, keepNext: true },
      )
      expect(changed).toMatchObject({ name: 'Other', next: { next: NOW + 2 * HOUR }, runs: 1 })
      expect(await store.schedules.change({ ...schedule, changed: 9 })).toMatchObject({
        next: schedule.next,
      })
    })

    test('are found when due, earliest first, unless paused or in a project that is being removed', async () => {
      const { store, projectId } = await open()
      const { schedules } = store
      const gone = await makeProject(store)
      expect([await schedules.findNextDue(), await schedules.findDue(NOW * 2, 9)]).toEqual([undefined, []])
      await schedules.create(newSchedule(gone, { next: { next: 1, due: 1 } }))
      await schedules.create(newSchedule(projectId, { next: { next: 50, due: 60 } }))
      await schedules.create(newSchedule(projectId, { next: { next: 55, due: 55 } }))
      await schedules.create(newSchedule(projectId, { next: undefined, paused: true }))
      expect(await schedules.findNextDue()).toBe(1)
      await store.removals.removeProject(gone, NOW).next()
      expect(await schedules.findNextDue()).toBe(55)
      const dueAt = async (now: number) => (await schedules.findDue(now, 9)).map(({ next }) => next?.due)
      expect([await dueAt(54), await dueAt(55), await dueAt(60)]).toEqual([[], [55], [55, 60]])
      expect(await schedules.findDue(60, 1)).toHaveLength(1)
    })

    test('with large requests are read a few at a time', async () => {
      const { store, projectId } = await open()
      const { schedules } = store
      for (const [created, length] of [300_000, 150_000, 100_000, 600_000].entries())
        await schedules.create(
          newSchedule(projectId, { created, request: 'x'.repeat(length), next: { next: 1, due: created } }),
        )
      const due = await schedules.findDue(NOW, 9)
      expect(due.map(({ created, request }) => [created, request?.length])).toEqual([
        [0, 300_000],
        [1, 150_000],
      ])
      const seen: number[] = []
      for (let last: StoredSchedule | undefined; ; ) {
        const after = last && { created: last.created, id: last.scheduleId }
        const some: StoredSchedule[] = await schedules.page(projectId, { after, limit: 9, mayBeFewer: true })
        if (some.length === 0) break
        seen.push(some.length)
        last = some.at(-1)
      }
      expect(seen).toEqual([2, 1, 1])
      expect(await schedules.page(projectId, { limit: 9 })).toHaveLength(4)
    })

    test('create one root for each run, and move to their next time', async () => {
      const { store, projectId } = await open()
      const schedule = await store.schedules.create(newSchedule(projectId))
      const made = await run(store, schedule, { lateMs: 90_000, missed: 2 })
      expect(made).toMatchObject({ projectId })
      const { rootId } = made as { rootId: string }
      expect(await store.captures.findProgress(projectId, rootId)).toMatchObject({
        origin: { schedule: { scheduleId: schedule.scheduleId, occurrence: NOW + HOUR } },
      })
      const after = await again(store, schedule)
      expect(after).toMatchObject({
        ...{ runs: 1, late: 1, skipped: 0, lastRoot: rootId, revision: schedule.revision },
        next: { next: NOW + 2 * HOUR, due: NOW + 2 * HOUR + 7 },
      })
      // Run again as it was read before: its time is over.
      expect(await run(store, schedule)).toBe('overtaken')
      expect(await store.pageRoots(projectId, { limit: 9 })).toHaveLength(1)
    })

    test('create one root for each occurrence, whoever runs it', async () => {
      const { one, stores, projectId } = await openTwice()
      let schedule = await stores[0].schedules.create(newSchedule(projectId, { overlap: 'run' }))
      for (let round = 1; round <= 5; round++) {
        const outcomes = await Promise.all([0, 1, 2, 3].map((index) => run(one(index), schedule)))
        expect(outcomes.filter((outcome) => outcome !== 'overtaken')).toHaveLength(1)
        schedule = await again(one(round), schedule)
        expect(schedule).toMatchObject({ runs: round, next: { next: NOW + (round + 1) * HOUR } })
      }
      expect(await stores[0].pageRoots(projectId, { limit: 99 })).toHaveLength(5)
    })

    test('skip and report a time while the previous root is unfinished, unless overlap is allowed', async () => {
      const { store, captures, projectId } = await open()
      const schedule = await store.schedules.create(newSchedule(projectId))
      await run(store, schedule)
      const second = await again(store, schedule)
      expect(await run(store, second, { missed: 3 })).toBe('skipped')
      const third = await again(store, schedule)
      expect(third).toMatchObject({ runs: 1, skipped: 4, lastSkipped: NOW + 2 * HOUR })
      for (const task of await takeAll(store, LEASE)) await captures.finish(task, PICTURE, NOW)
      expect(await run(store, third)).toMatchObject({ projectId })
      // A removed root counts as finished.
      const fourth = await again(store, schedule)
      await Array.fromAsync(store.removals.removeRoot(projectId, fourth.lastRoot ?? '', NOW))
      expect(await run(store, fourth)).toMatchObject({ projectId })
      const fifth = await again(store, schedule)
      await store.schedules.change({ ...fifth, overlap: 'run', changed: NOW })
      expect(await run(store, await again(store, schedule))).toMatchObject({ projectId })
    })

    test('report a failed run, and the next run takes place', async () => {
      const { store, projectId } = await open()
      const schedule = await store.schedules.create(newSchedule(projectId, { overlap: 'run' }))
      expect(await run(store, schedule, { problem: 'no such template' })).toEqual({
        failed: 'no such template',
      })
      const second = await again(store, schedule)
      expect(second).toMatchObject({
        ...{ runs: 0, problem: { at: NOW + HOUR, detail: 'no such template' } },
        next: { next: NOW + 2 * HOUR },
      })
      expect(await run(store, second, { mostWaiting: 0 })).toMatchObject({
        failed: expect.stringContaining('MAX_PAGES_WAITING'),
      })
      const third = await again(store, schedule)
      expect(third.problem?.detail).toContain('MAX_PAGES_WAITING')
      expect(await run(store, third)).toMatchObject({ projectId })
      expect(await again(store, schedule)).toMatchObject({ runs: 1, problem: undefined })
      expect(await store.pageRoots(projectId, { limit: 9 })).toHaveLength(1)
    })

    test('that were changed or removed meanwhile do not run', async () => {
      const { store, projectId } = await open()
      const schedule = await store.schedules.create(newSchedule(projectId))
      await store.schedules.change({ ...schedule, name: 'Other', changed: NOW })
      expect(await run(store, schedule)).toBe('overtaken')
      await store.schedules.remove(schedule)
      expect(await run(store, schedule)).toBe('overtaken')
      expect(await store.pageRoots(projectId, { limit: 9 })).toEqual([])
    })

    test('can be run by hand independently of their times, even several times at the same moment', async () => {
      const { one, stores, projectId } = await openTwice()
      const store = stores[0]
      const schedule = await store.schedules.create(newSchedule(projectId, { overlap: 'run' }))
      const { scheduleId } = schedule
      const origin = { schedule: { scheduleId, occurrence: NOW + HOUR } }
      const requests = [1, 2, 3].map(() => newRequest(projectId, { created: NOW, origin }))
      const ran = requests.map((request, index) =>
        one(index).schedules.runNow(schedule, request, { now: NOW }),
      )
      expect(await Promise.all(ran)).toEqual(requests.map(({ rootId }) => rootId))
      expect(await again(store, schedule)).toMatchObject({ runs: 3, next: schedule.next })
      const { rootId } = (await run(store, schedule)) as { rootId: string }
      expect(await again(store, schedule)).toMatchObject({
        ...{ runs: 4, lastRoot: rootId },
        next: { next: NOW + 2 * HOUR },
      })
      const summaries = await store.browsing.requestsOf(projectId, [
        rootId,
        ...requests.map((each) => each.rootId),
      ])
      const times = [...summaries.values()].map(({ origin }) => origin?.schedule?.occurrence)
      expect(times.toSorted()).toEqual([0, 1, 2, 3].map((more) => NOW + HOUR + more))
      const [request] = requests as [(typeof requests)[0]]
      const unknown = store.schedules.runNow({ projectId, scheduleId: randomUUID() }, request, { now: NOW })
      await expect(unknown).rejects.toMatchObject({ code: 'not_found' })
    })

    test('are removed with their project', async () => {
      const { store, projectId } = await open()
      await store.schedules.create(newSchedule(projectId))
      await Array.fromAsync(store.removals.removeProject(projectId, NOW))
      expect(await store.removals.forgetProject(projectId)).toBe(true)
      expect(await store.schedules.page(projectId, { limit: 10 })).toEqual([])
    })
  })
}
