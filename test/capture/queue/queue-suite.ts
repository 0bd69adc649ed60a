import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { MAX_ATTEMPTS, type Work } from '../../../src/capture/queue.ts'
import { AppError } from '../../../src/errors.ts'
import type { Store } from '../../../src/store/store.ts'
import { until } from '../../support/runner/until.ts'
import { FAILURE, PICTURE } from '../../support/store/captures.ts'
import { makeProject } from '../../support/store/results.ts'
import { lostProcessSuite } from './lost-process-suite.ts'
import {
  clock,
  hanging,
  nameOf,
  openProcess,
  over,
  type Place,
  processOpener,
  progressOf,
  untilOver,
} from './open-process.ts'

/** What the queue must do with every store. `newPlace`: a place that no other test uses. */
export function queueSuite(name: string, newPlace: () => Promise<Place>): void {
  const open = processOpener(newPlace)

  lostProcessSuite(name, newPlace)

  describe(`${name}: a queue`, () => {
    test('works on each capture once, and never on more at a time than allowed', async () => {
      const seen: string[] = []
      let [underWay, most] = [0, 0]
      const { store, captures, ask } = await open({
        concurrency: 3,
        work: (captures) => async (task) => {
          seen.push(nameOf(task))
          underWay += 1
          most = Math.max(most, underWay)
          await sleep(50)
          await captures.finish(task, task.position === 2 ? FAILURE : PICTURE, Date.now())
          underWay -= 1
        },
      })
      const [one, other] = [await makeProject(store), await makeProject(store)]
      const requests = await Promise.all([one, other, one, other].map((id) => ask(id, { pages: 6 })))
      await until(() => over(captures))
      for (const request of requests) {
        const states = (await progressOf(store, request)).map(({ state }) => state)
        expect(states).toEqual(['done', 'done', 'failed', 'done', 'done', 'done'])
        expect(await store.jobsOf(request.projectId, [request.rootId])).toHaveLength(5)
      }
      expect(new Set(seen).size).toBe(24)
      expect(seen).toHaveLength(24)
      expect(most).toBe(3)
    })

    test('starts short captures one after another without a pause', async () => {
      const { store, captures, ask } = await open({ concurrency: 1 })
      await ask(await makeProject(store), { pages: 20 })
      const began = performance.now()
      await until(() => over(captures))
      // It looks once a second if nothing is due: with a pause after each capture that would take twenty seconds.
      expect(performance.now() - began).toBeLessThan(15_000)
    })

    test('starts at once when it is woken', async () => {
      let begun = 0
      const { store, captures, ask } = await open({
        work: (captures) => async (task) => {
          begun = performance.now()
          await captures.finish(task, PICTURE, Date.now())
        },
      })
      const projectId = await makeProject(store)
      // It has just looked, and looks again after a second: none of them would be this fast by chance.
      let fastest = Number.POSITIVE_INFINITY
      for (let round = 0; round < 20 && fastest > 600; round++) {
        await ask(projectId)
        const asked = performance.now()
        await until(() => over(captures))
        if (round > 0) fastest = Math.min(fastest, begun - asked)
        await sleep(200)
      }
      expect(fastest).toBeLessThan(600)
    })

    test('with concurrency 0 accepts requests for other processes, which find them; projects take turns', async () => {
      const place = await newPlace()
      let worked = 0
      const front = await open({
        place,
        concurrency: 0,
        work: () => async () => {
          worked += 1
        },
      })
      const projects = [await makeProject(front.store), await makeProject(front.store)] as const
      const first = await front.ask(projects[0], { pages: 8, created: 1_000 })
      await front.ask(projects[1], { pages: 3, created: 2_000 })
      await sleep(1_500)
      expect(worked).toBe(0)
      expect((await progressOf(front.store, first)).map(({ state }) => state)).toEqual(
        Array.from({ length: 8 }, () => 'queued'),
      )
      let order = ''
      // Pages take no time here: time would change the order.
      const instant = Date.now()
      const back = await open({
        place,
        concurrency: 1,
        clock: () => instant,
        work: (captures) => async (task) => {
          order += task.projectId === projects[0] ? 'A' : 'B'
          await captures.finish(task, PICTURE, instant)
        },
      })
      await until(() => over(back.captures))
      expect(order).toBe('ABABABAAAAA')
      const late = await front.ask(projects[0], {}, { wake: false })
      await until(async () => (await progressOf(front.store, late))[0]?.state === 'done')
      expect(worked).toBe(0)
    })

    test('repeats an attempt that threw, counts it, and continues with other captures meanwhile', async () => {
      const place = await newPlace()
      const attempts: number[] = []
      const uuids = new Set<string>()
      const { store, queue, ask } = await open({
        place,
        concurrency: 1,
        work: (captures) => async (task) => {
          if (task.position === 1) return void (await captures.finish(task, PICTURE, Date.now()))
          attempts.push(task.attempts)
          uuids.add(task.uuid)
          // The worker itself must end it.
          if (task.attempts <= MAX_ATTEMPTS) throw new Error('crashed')
          await captures.finish(task, FAILURE, Date.now())
        },
      })
      const request = await ask(await makeProject(store), { pages: 2 })
      await until(async () => (await progressOf(store, request))[1]?.state === 'done')
      const [again] = await progressOf(store, request)
      expect(again).toMatchObject({ state: 'queued', attempts: 1 })
      await untilOver({ store, queue }, request)
      expect(attempts).toEqual([1, 2, 3, 4])
      expect(uuids.size).toBe(4)
      expect((await progressOf(store, request))[0]).toMatchObject({ state: 'failed', attempts: 4 })
    })

    test('does not repeat an attempt at once', async () => {
      let attempts = 0
      const { store, ask } = await open({
        concurrency: 1,
        work: () => async () => {
          attempts += 1
          throw new Error('crashed')
        },
      })
      await ask(await makeProject(store))
      await until(() => attempts === 1)
      await sleep(1_300)
      expect(attempts).toBe(1)
    })

    test('does not count an attempt whose failure is not the fault of the page', async () => {
      const place = await newPlace()
      const faults = ['unavailable', 'read_only', 'storage_failed', 'no_browser'] as const
      const attempts: number[] = []
      const { store, queue, ask } = await open({
        place,
        work: (captures) => async (task) => {
          const fault = faults[attempts.push(task.attempts) - 1]
          if (fault) throw new AppError(fault)
          await captures.finish(task, PICTURE, Date.now())
        },
      })
      const request = await ask(await makeProject(store))
      await untilOver({ store, queue }, request)
      expect(attempts).toEqual([1, 1, 1, 1, 1])
      expect(await progressOf(store, request)).toMatchObject([{ state: 'done', attempts: 1 }])
    })

    test('puts its captures back uncounted when it is closed, and begins no more', async () => {
      const place = await newPlace()
      const { work, begun, told, works } = hanging()
      const first = await open({ place, concurrency: 1, work })
      const request = await first.ask(await makeProject(first.store), { pages: 3 })
      const task = await begun
      const closing = first.close()
      await told
      // It may take twenty seconds if some work does not stop.
      expect(await Promise.race([closing, sleep(19_000, 'it waited', { ref: false })])).toBeUndefined()
      expect(works()).toBe(1)
      expect(await progressOf(first.store, request)).toMatchObject(
        [0, 1, 2].map(() => ({ state: 'queued', attempts: 0, started: undefined })),
      )
      expect(await first.captures.finish(task, PICTURE, Date.now())).toBe(false)
      const second = await open({ place, concurrency: 1 })
      await until(() => over(second.captures))
      expect(await progressOf(second.store, request)).toMatchObject(
        [0, 1, 2].map(() => ({ state: 'done', attempts: 1 })),
      )
      expect(works()).toBe(1)
    })

    test('in two processes begins and ends no capture twice', async () => {
      const place = await newPlace()
      const begun: string[] = []
      const ended: string[] = []
      const work =
        (captures: Store['captures']): Work =>
        async (task) => {
          begun.push(nameOf(task))
          await sleep(20)
          if (await captures.finish(task, PICTURE, Date.now())) ended.push(nameOf(task))
        }
      const [one, other] = await Promise.all([
        open({ place, work, concurrency: 3 }),
        open({ place, work, concurrency: 3 }),
      ])
      const projectId = await makeProject(one.store)
      await Promise.all([one, other, one, other].map(({ ask }) => ask(projectId, { pages: 8 })))
      await until(() => over(one.captures))
      expect(begun).toHaveLength(32)
      expect(new Set(ended).size).toBe(32)
      expect(ended).toHaveLength(32)
    })

    test('does not work again on a repeated request', async () => {
      const seen: string[] = []
      const { store, captures, ask } = await open({
        work: (captures) => async (task) => {
          seen.push(nameOf(task))
          await captures.finish(task, PICTURE, Date.now())
        },
      })
      const projectId = await makeProject(store)
      const asked = await Promise.all(
        Array.from({ length: 6 }, () => ask(projectId, { idempotencyKey: 'key', pages: 2 })),
      )
      await until(() => over(captures))
      await ask(projectId, { idempotencyKey: 'key', pages: 2 })
      await sleep(1_200)
      expect(new Set(asked.map(({ rootId }) => rootId)).size).toBe(1)
      expect(seen.toSorted()).toEqual([0, 1].map((position) => `${asked[0]?.rootId} ${position}`))
    })

    test('begins the pages of an idle project without waiting for the pages of others to end', async () => {
      const begun: string[] = []
      const end = Promise.withResolvers<void>()
      const { store, captures, ask } = await open({
        concurrency: 3,
        extra: 2,
        work: (captures) => async (task, signal) => {
          begun.push(task.projectId)
          if (task.projectId === slow) {
            signal.addEventListener('abort', () => end.resolve())
            await end.promise
          }
          await captures.finish(task, PICTURE, clock())
        },
      })
      const slow = await makeProject(store)
      const count = (id: string) => begun.filter((one) => one === id).length
      await ask(slow, { pages: 20 })
      await until(() => count(slow) === 3)
      const others = [await makeProject(store), await makeProject(store)] as const
      const asked = [await ask(others[0], { pages: 6 }), await ask(others[1], { pages: 6 })]
      for (const request of asked) {
        await until(async () => (await progressOf(store, request)).every(({ state }) => state === 'done'))
      }
      // The extra slots are not for a project that holds all others.
      expect([count(slow), begun.length]).toEqual([3, 15])
      end.resolve()
      await until(() => over(captures))
      expect(count(slow)).toBe(20)
    })

    test('gives a project alone no extra slot, and each of several projects one', async () => {
      const end = Promise.withResolvers<void>()
      const begun: string[] = []
      const { store, captures, ask } = await open({
        concurrency: 2,
        extra: 2,
        work: (captures) => async (task) => {
          begun.push(task.projectId)
          await end.promise
          await captures.finish(task, PICTURE, clock())
        },
      })
      const projects = [await makeProject(store), await makeProject(store), await makeProject(store)]
      const [one = '', two = '', three = ''] = projects
      await ask(one, { pages: 9 })
      await until(() => begun.length === 2)
      await ask(one, { pages: 9 })
      await ask(two, { pages: 9 })
      await until(() => begun.length === 3)
      await ask(two, { pages: 9 })
      await ask(three, { pages: 9 })
      await until(() => begun.length === 4)
      await ask(await makeProject(store), { pages: 9 })
      await sleep(100)
      expect(begun).toEqual([one, one, two, three])
      end.resolve()
      await until(() => over(captures))
    })

    test('that is limited to its own requests takes no others; nobody else takes its own until it is closed', async () => {
      const place = await newPlace()
      const { work, begun, told, works } = hanging()
      const own = await openProcess(place, { work, ownOnly: true, concurrency: 1 })
      const projectId = await makeProject(own.store)
      const seen: string[] = []
      const other = await openProcess(place, {
        work: (captures) => async (task) => {
          seen.push(task.rootId)
          await captures.finish(task, PICTURE, Date.now())
        },
      })
      const mine = await own.ask(projectId, { pages: 2 })
      expect(await begun).toMatchObject({ rootId: mine.rootId, position: 0 })
      const others = await other.ask(projectId)
      await until(() => seen.length === 1)
      await sleep(1_200)
      expect(seen).toEqual([others.rootId])
      expect(works()).toBe(1)
      await own.close()
      await told
      await until(() => seen.length === 3)
      expect(seen).toEqual([others.rootId, mine.rootId, mine.rootId])
    })

    test('that is limited to its own requests waits, too, after a failure that is not the fault of the page', async () => {
      const place = await newPlace()
      let works = 0
      const own = await openProcess(place, {
        ownOnly: true,
        work: () => async () => {
          // Like real work, it lets others run.
          await sleep(5)
          works += 1
          throw new AppError('no_browser')
        },
      })
      await own.ask(await makeProject(own.store))
      await until(() => works === 1)
      await sleep(1_500)
      expect(works).toBe(1)
    })
  })
}
