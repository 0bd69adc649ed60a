import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { AppError } from '../../src/errors.ts'
import { MAX_ATTEMPTS, type Queue, type QueueOptions, type Work } from '../../src/queue/queue.ts'
import { openStorage } from '../../src/storage.ts'
import type { Captures, CaptureTask, NewRequest } from '../../src/store/captures.ts'
import type { Store } from '../../src/store/store.ts'
import { FAILURE, newRequest, PICTURE } from '../support/captures.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { makeProject } from '../support/results.ts'

/** The environment that names a database, and a folder. */
export type Place = Record<string, string>

export interface QueueDriver {
  /** A place no other test uses. */
  newPlace(): Promise<Place>
  /** What waits for a later attempt is due now. */
  passTime(place: Place): Promise<void>
  readonly clock: () => number
}

export const SILENT = pino({ level: 'silent' })

/** A process that works: a store and a queue of its own, on a place that others may share. */
export async function openProcess(
  place: Place,
  {
    concurrency = 2,
    work = finishing,
    ...more
  }: { work?: (captures: Captures) => Work } & Partial<Omit<QueueOptions, 'work'>> = {},
) {
  const { store, openQueue, close } = await openStorage(readConfig({ PORT: '0', ...place }))
  onTestFinished(close)
  const { captures } = store
  const queue = await openQueue({ work: work(captures), concurrency, log: SILENT, ...more })
  const closeQueue = once(() => queue.close())
  onTestFinished(closeQueue)
  return { store, captures, queue, close: closeQueue, ask: asker(store, queue) }
}

/** As a request does it. */
function asker({ captures }: Store, queue: Queue) {
  return async (projectId: string, more: Parameters<typeof newRequest>[1] = {}, { wake = true } = {}) => {
    const heldUntil = queue.heldUntil?.(Date.now())
    const request = newRequest(projectId, { created: Date.now(), ...(heldUntil && { heldUntil }), ...more })
    const rootId = await captures.accept(request, queue.also)
    if (wake) queue.wake({ projectId, rootId })
    return { ...request, rootId }
  }
}

function once(close: () => Promise<void>): () => Promise<void> {
  let closed: Promise<void> | undefined
  return () => {
    closed ??= close()
    return closed
  }
}

/** Work that takes a picture in no time. */
const finishing =
  (captures: Captures): Work =>
  async (task) => {
    await captures.finish(task, PICTURE, Date.now())
  }

/** Work that goes on until it is told to stop; tells when it has begun, when it was told, and how often it began. */
export function hanging() {
  const begun = Promise.withResolvers<CaptureTask>()
  const told = Promise.withResolvers<void>()
  let works = 0
  const work = () => async (task: CaptureTask, signal: AbortSignal) => {
    works += 1
    begun.resolve(task)
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    told.resolve()
    throw signal.reason
  }
  return { work, begun: begun.promise, told: told.promise, works: () => works }
}

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within ${PATIENCE_MS} ms: ${condition}`)
    await sleep(10)
  }
}

const progressOf = async ({ captures }: Store, { projectId, rootId }: NewRequest) => {
  const progress = await captures.findProgress(projectId, rootId)
  if (!progress) throw new Error('there is no such request')
  return progress.captures
}
const over = async (captures: Captures) => !(await captures.anyUnfinished())
const nameOf = ({ rootId, position }: CaptureTask) => `${rootId} ${position}`

/** What every queue must do, with a store that is real. */
export function queueSuite(name: string, { newPlace, passTime, clock }: QueueDriver): void {
  const open = async (
    options: { place?: Place } & NonNullable<Parameters<typeof openProcess>[1]> = {},
  ): Promise<Awaited<ReturnType<typeof openProcess>>> => {
    const { place = await newPlace(), ...more } = options
    return await openProcess(place, { clock, ...more })
  }

  describe(`${name}: a queue`, () => {
    test('works everything off, once, and never more at a time than it may', async () => {
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

    test('lets short work follow on short work without a pause', async () => {
      const { store, captures, ask } = await open({ concurrency: 1 })
      await ask(await makeProject(store), { pages: 60 })
      const began = performance.now()
      await until(() => over(captures))
      // It looks once a second where it finds nothing: with a pause after each that would be a minute.
      expect(performance.now() - began).toBeLessThan(45_000)
    })

    test('begins at once where it is woken', async () => {
      let begun = 0
      const { store, captures, ask } = await open({
        work: (captures) => async (task) => {
          begun = performance.now()
          await captures.finish(task, PICTURE, Date.now())
        },
      })
      const projectId = await makeProject(store)
      // It has just looked, and looks again a second after that: not one of them would be that fast by chance.
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

    test('without work to do takes requests for others, who see them unasked, projects in turn', async () => {
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
      const back = await open({
        place,
        concurrency: 1,
        work: (captures) => async (task) => {
          order += task.projectId === projects[0] ? 'A' : 'B'
          await captures.finish(task, PICTURE, Date.now())
        },
      })
      await until(() => over(back.captures))
      expect(order).toBe('ABABABAAAAA')
      const late = await front.ask(projects[0], {}, { wake: false })
      await until(async () => (await progressOf(front.store, late))[0]?.state === 'done')
      expect(worked).toBe(0)
    })

    test('tries again what threw, counts it, and goes on with the others meanwhile', async () => {
      const place = await newPlace()
      const attempts: number[] = []
      const uuids = new Set<string>()
      const { store, captures, ask } = await open({
        place,
        concurrency: 1,
        work: (captures) => async (task) => {
          if (task.position === 1) return void (await captures.finish(task, PICTURE, Date.now()))
          attempts.push(task.attempts)
          uuids.add(task.uuid)
          // Ending it is for the one who works.
          if (task.attempts <= MAX_ATTEMPTS) throw new Error('crashed')
          await captures.finish(task, FAILURE, Date.now())
        },
      })
      const request = await ask(await makeProject(store), { pages: 2 })
      await until(async () => (await progressOf(store, request))[1]?.state === 'done')
      const [again] = await progressOf(store, request)
      expect(again).toMatchObject({ state: 'queued', attempts: 1 })
      await until(async () => {
        await passTime(place)
        await sleep(100)
        return await over(captures)
      })
      expect(attempts).toEqual([1, 2, 3, 4])
      expect(uuids.size).toBe(4)
      expect((await progressOf(store, request))[0]).toMatchObject({ state: 'failed', attempts: 4 })
    })

    test('does not try again at once', async () => {
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

    test('does not count what was not the page’s fault', async () => {
      const place = await newPlace()
      const faults = ['unavailable', 'storage_full', 'storage_failed', 'no_browser'] as const
      const attempts: number[] = []
      const { store, captures, ask } = await open({
        place,
        work: (captures) => async (task) => {
          const fault = faults[attempts.push(task.attempts) - 1]
          if (fault) throw new AppError(fault)
          await captures.finish(task, PICTURE, Date.now())
        },
      })
      const request = await ask(await makeProject(store))
      await until(async () => {
        await passTime(place)
        await sleep(100)
        return await over(captures)
      })
      expect(attempts).toEqual([1, 1, 1, 1, 1])
      expect(await progressOf(store, request)).toMatchObject([{ state: 'done', attempts: 1 }])
    })

    test('that is closed gives back what it was at, uncounted, and begins nothing more', async () => {
      const place = await newPlace()
      const { work, begun, told, works } = hanging()
      const first = await open({ place, concurrency: 1, work })
      const request = await first.ask(await makeProject(first.store), { pages: 3 })
      const task = await begun
      const closing = first.close()
      await told
      // It may take twenty seconds, where someone does not stop.
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

    test('two of them end nothing twice, and begin nothing twice', async () => {
      const place = await newPlace()
      const begun: string[] = []
      const ended: string[] = []
      const work =
        (captures: Captures): Work =>
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

    test('a request that came before is not worked again', async () => {
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
  })
}
