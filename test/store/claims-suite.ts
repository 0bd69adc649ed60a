import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { AppError } from '../../src/errors.ts'
import { addRows, makeProject, newJob } from '../support/store/results.ts'
import { newRoot as root } from './new-root.ts'
import type { StoreDriver } from './store-driver.ts'

/** Time moves only when the test moves it; real timers continue. */
function stopClocks() {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  let now = 1_700_000_000_000
  return {
    clock: () => now,
    /** Like a frozen or killed process: timers that are already set never fire. */
    stopTimers() {
      vi.clearAllTimers()
    },
    /** Moves the clock only. */
    jump(milliseconds: number) {
      now += milliseconds
    },
    pass(milliseconds: number) {
      now += milliseconds
      vi.advanceTimersByTime(milliseconds)
    },
  }
}

/** Publishing that continues until it is released. Once it has begun, the ids are claimed. */
function held() {
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const publish = () => {
    begun.resolve()
    return end.promise
  }
  return { publish, begun: begun.promise, release: end.resolve, fail: end.reject }
}

/** Tests of who holds the ids of a root while it is being added. */
export function claimsSuite(name: string, driver: StoreDriver): void {
  const open = async (options?: { clock: () => number }) => driver.open(await driver.newPlace(), options)
  const nothing = async () => {}

  describe(`${name}: adding a root`, () => {
    test('publishes the pictures before anyone can see the root', async () => {
      const store = await open()
      const projectId = await makeProject(store)
      const added = root(projectId)
      let seen: unknown = 'not called'
      await store.addRoot(added, async () => {
        seen = await store.findRoot(projectId, added.rootId)
      })
      expect(seen).toBeUndefined()
    })

    test('adds nothing if publishing fails, and can be repeated', async () => {
      const store = await open()
      const projectId = await makeProject(store)
      const added = root(projectId)
      const before = await store.findProject(projectId)
      await expect(store.addRoot(added, () => Promise.reject(new Error('no room')))).rejects.toThrow(
        'no room',
      )
      expect(await store.findRoot(projectId, added.rootId)).toBeUndefined()
      expect(await store.jobsOf(projectId, [added.rootId])).toEqual([])
      expect(await store.findProject(projectId)).toEqual(before)
      expect(await store.addRoot(added, nothing)).toBe('added')
    })

    test('continues a killed adder’s claim with the same content at once; other content is refused until later', async () => {
      let now = 1_700_000_000_000
      const store = await open({ clock: () => now })
      const projectId = await makeProject(store)
      const added = root(projectId)
      const other = { ...added, digest: 'other' }
      const overlapping = root(projectId, { digest: 'third', jobs: added.jobs.slice(1) })
      // Never ends, as in a killed process.
      const killed = held()
      store.addRoot(added, killed.publish).catch(() => {})
      await killed.begun
      expect(await store.findRoot(projectId, added.rootId)).toBeUndefined()
      expect(await store.pageRoots(projectId, { limit: 10 })).toEqual([])
      expect(await store.countProjects()).toMatchObject([{ roots: 0, jobs: 0 }])
      await expect(store.addRoot(other, nothing)).rejects.toMatchObject({ code: 'conflict' })
      await expect(store.addRoot(overlapping, nothing)).rejects.toMatchObject({ code: 'conflict' })
      now += 121_000
      expect(await store.addRoot(overlapping, nothing)).toBe('added')
      expect(await store.addRoot({ ...other, jobs: [newJob()] }, nothing)).toBe('added')
      expect(await store.findRoot(projectId, added.rootId)).toMatchObject({ digest: 'other', jobCount: 1 })
    })

    test('by two callers with the same content adds it once, and the other finds it', async () => {
      const store = await open()
      const projectId = await makeProject(store)
      const added = root(projectId)
      const { publish, begun, release } = held()
      const slow = store.addRoot(added, publish)
      await begun
      expect(await store.addRoot(added, nothing)).toBe('added')
      release()
      expect(await slow).toBe('present')
      expect(await store.jobsOf(projectId, [added.rootId])).toHaveLength(2)
    })

    test('by two callers with the same content leaves the claim to one if the other fails', async () => {
      const store = await open()
      const projectId = await makeProject(store)
      const added = root(projectId)
      const { publish, begun, release } = held()
      const slow = store.addRoot(added, publish)
      await begun
      await expect(store.addRoot(added, () => Promise.reject(new Error('no room')))).rejects.toThrow(
        'no room',
      )
      await expect(store.addRoot({ ...added, digest: 'other' }, nothing)).rejects.toMatchObject({
        code: 'conflict',
      })
      release()
      expect(await slow).toBe('added')
      // One that fails after the other has added the root takes nothing back.
      expect(await store.jobsOf(projectId, [added.rootId])).toHaveLength(2)
    })

    test('by a caller that fails after another has added the same takes nothing back', async () => {
      const store = await open()
      const projectId = await makeProject(store)
      const added = root(projectId)
      const { publish, begun, fail } = held()
      const failing = store.addRoot(added, publish)
      await begun
      expect(await store.addRoot(added, nothing)).toBe('added')
      fail(new Error('no room'))
      await expect(failing).rejects.toThrow('no room')
      expect(await store.findRoot(projectId, added.rootId)).toMatchObject({ jobCount: 2 })
      expect(await store.jobsOf(projectId, [added.rootId])).toHaveLength(2)
    })

    test('without an answer from the database keeps the ids taken for a while, but not for the same content', async () => {
      const store = await open()
      const projectId = await makeProject(store)
      const added = root(projectId)
      const away = () => Promise.reject(new AppError('unavailable'))
      await expect(store.addRoot(added, away)).rejects.toMatchObject({ code: 'unavailable' })
      await expect(store.addRoot({ ...added, digest: 'other' }, nothing)).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('try again in two minutes'),
      })
      const overlapping = root(projectId, { digest: 'third', jobs: added.jobs.slice(1) })
      await expect(store.addRoot(overlapping, nothing)).rejects.toThrow('try again in two minutes')
      expect(await store.addRoot(added, nothing)).toBe('added')
    })

    test('ignores a claim made by a clock two hours ahead once the clock is right', async () => {
      const time = stopClocks()
      const store = await open(time)
      const projectId = await makeProject(store)
      const added = root(projectId)
      time.jump(7_200_000)
      const killed = held()
      store.addRoot(added, killed.publish).catch(() => {})
      await killed.begun
      time.stopTimers()
      time.jump(-7_200_000)
      expect(await store.addRoot({ ...added, digest: 'other' }, nothing)).toBe('added')
    })

    test('renews its claim while publishing, including a claim that it joined', async () => {
      const time = stopClocks()
      const store = await open(time)
      const projectId = await makeProject(store)
      const added = root(projectId)
      const other = { ...added, digest: 'other' }
      // Joins the claim of a killed process shortly before it ends.
      const killed = held()
      store.addRoot(added, killed.publish).catch(() => {})
      await killed.begun
      time.stopTimers()
      time.pass(119_000)
      const { publish, begun, release } = held()
      const joined = store.addRoot(added, publish)
      await begun
      for (let index = 0; index < 20; index++) {
        time.pass(15_000)
        // Earlier renewals are written by then; one of eight in a row is enough.
        await makeProject(store)
      }
      await expect(store.addRoot(other, nothing)).rejects.toMatchObject({ code: 'conflict' })
      release()
      expect(await joined).toBe('added')
    })

    test('stops publishing when another caller has added the same, and finds it present', async () => {
      const time = stopClocks()
      const store = await open(time)
      const projectId = await makeProject(store)
      const added = root(projectId)
      const go = Promise.withResolvers<void>()
      const slow = store.addRoot(added, async (stillOurs) => {
        go.resolve()
        // It would continue forever.
        for (;;) {
          stillOurs()
          await sleep(5)
        }
      })
      await go.promise
      expect(await store.addRoot(added, nothing)).toBe('added')
      time.pass(15_000)
      expect(await slow).toBe('present')
    })

    test('by a process that was frozen for too long fails before the next picture, and is not reported as added', async () => {
      const time = stopClocks()
      const store = await open(time)
      const projectId = await makeProject(store)
      const added = root(projectId)
      const [go, resume] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      let noticed: unknown
      const frozen = store.addRoot(added, async (stillOurs) => {
        stillOurs()
        go.resolve()
        await resume.promise
        try {
          stillOurs()
        } catch (error) {
          noticed = error
        }
      })
      await go.promise
      time.stopTimers()
      time.pass(121_000)
      expect(await store.addRoot({ ...added, digest: 'other' }, nothing)).toBe('added')
      resume.resolve()
      await expect(frozen).rejects.toMatchObject({ code: 'unavailable' })
      expect(noticed).toMatchObject({ code: 'unavailable' })
      expect(await store.findRoot(projectId, added.rootId)).toMatchObject({ digest: 'other' })
    })

    test('does not block other writes while publishing', async () => {
      const place = await driver.newPlace()
      const [one, other] = [await driver.open(place), await driver.open(place)]
      const projectId = await makeProject(one)
      const { publish, begun, release } = held()
      const slow = one.addRoot(root(projectId), publish)
      await begun
      await addRows(other, projectId)
      await makeProject(other)
      expect(await other.pageRoots(projectId, { limit: 10 })).toHaveLength(1)
      release()
      expect(await slow).toBe('added')
    })
  })

  describe(`${name}: job ids`, () => {
    const start = async () => {
      const store = await driver.open(await driver.newPlace())
      return { store, projectId: await makeProject(store) }
    }

    test('are taken as soon as a root is being added, and free again if that fails', async () => {
      const { store, projectId } = await start()
      const jobs = [newJob(), newJob()]
      const [first, second] = jobs.map(({ uuid }) => uuid) as [string, string]
      const free = randomUUID()
      const root = { projectId, rootId: randomUUID(), created: 1, digest: 'd', jobs }
      const taken = () => store.findTaken(projectId, [first, second, free])
      await store
        .addRoot(root, async () => {
          expect(await taken()).toEqual(new Set([first, second]))
          throw new Error('not published')
        })
        .catch(() => {})
      expect(await taken()).toEqual(new Set())
      await store.addRoot(root, async () => {})
      expect(await taken()).toEqual(new Set([first, second]))
      expect(await store.findTaken(await makeProject(store), [first])).toEqual(new Set())
      expect(await store.findTaken(projectId, [])).toEqual(new Set())
    })

    test('can be held while they are free: no root takes them, and nothing is shown', async () => {
      const { store, projectId } = await start()
      const job = newJob()
      const root = { projectId, rootId: randomUUID(), created: 1, digest: 'd', jobs: [job] }
      const before = await store.findProject(projectId)
      const held = await store.whileFree(projectId, [job.uuid, randomUUID()], async (stillOurs) => {
        stillOurs()
        await expect(store.addRoot(root, async () => {})).rejects.toMatchObject({ code: 'conflict' })
        expect(await store.whileFree(projectId, [job.uuid], async () => {})).toBe(false)
        expect(await store.pageRoots(projectId, { limit: 10 })).toEqual([])
        expect(await store.countProjects()).toMatchObject([{ roots: 0, jobs: 0 }])
      })
      expect(held).toBe(true)
      expect(await store.findProject(projectId)).toEqual(before)
      expect(await store.addRoot(root, async () => {})).toBe('added')
      let ran = false
      const again = await store.whileFree(projectId, [randomUUID(), job.uuid], async () => {
        ran = true
      })
      expect([again, ran]).toEqual([false, false])
      expect(await store.jobsOf(projectId, [root.rootId])).toHaveLength(1)
    })

    test('that are held are free again if the holder fails', async () => {
      const { store, projectId } = await start()
      const job = newJob()
      const failing = store.whileFree(projectId, [job.uuid], async () => {
        throw new Error('in between')
      })
      await expect(failing).rejects.toThrow('in between')
      const root = { projectId, rootId: randomUUID(), created: 1, digest: 'd', jobs: [job] }
      expect(await store.addRoot(root, async () => {})).toBe('added')
    })
  })
}
