import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { AppError } from '../../src/errors.ts'
import type { JobText } from '../../src/store/job-text.ts'
import type { NewRoot, ProjectPosition, RootPosition, Store } from '../../src/store/store.ts'
import { addRows, makeProject, newJob } from '../support/results.ts'

export interface StoreDriver {
  /** An empty store, closed when the test is over. Called twice with one place, it opens the same store twice. */
  open(place: string, options?: { clock?: () => number }): Promise<Store>
  /** A place no other test uses. */
  newPlace(): Promise<string>
  /** One where no store was opened before, where that makes a difference. */
  newEmptyPlace?(): Promise<string>
}

/** Time that only passes when told to; real timers go on. */
function stopClocks() {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  let now = 1_700_000_000_000
  return {
    clock: () => now,
    /** As for a process that is frozen or gone: those that are set stay silent. */
    stopTimers() {
      vi.clearAllTimers()
    },
    /** Only what it says. */
    jump(milliseconds: number) {
      now += milliseconds
    },
    pass(milliseconds: number) {
      now += milliseconds
      vi.advanceTimersByTime(milliseconds)
    },
  }
}

/** Publishing that goes on until it is told. Once it has begun, the ids are claimed. */
function held() {
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const publish = () => {
    begun.resolve()
    return end.promise
  }
  return { publish, begun: begun.promise, release: end.resolve, fail: end.reject }
}

/** What every store must do, whatever engine it runs on. */
export function storeSuite(name: string, driver: StoreDriver): void {
  const open = async (options?: { clock: () => number }) => driver.open(await driver.newPlace(), options)
  const nothing = async () => {}

  describe(`${name}: projects`, () => {
    test('are created, found and listed oldest first with their counts', async () => {
      const store = await open()
      const [second, first] = [randomUUID(), randomUUID()]
      await store.createProject({ projectId: second, name: 'Zwei', created: 20 })
      await store.createProject({ projectId: first, name: 'Eins', created: 10 })
      await addRows(store, second, { jobs: 3 })
      await addRows(store, second, { jobs: 4 })
      expect(await store.findProject(first)).toMatchObject({ projectId: first, name: 'Eins', created: 10 })
      expect(await store.findProject(randomUUID())).toBeUndefined()
      expect(await store.countProjects()).toMatchObject([
        { projectId: first, roots: 0, jobs: 0 },
        { projectId: second, roots: 2, jobs: 7 },
      ])
    })

    test('property: pages of any size give every project once: oldest first, then by id', async () => {
      const projects = fc.uniqueArray(
        fc.record({ created: fc.integer({ min: 0, max: 3 }), projectId: fc.uuid() }),
        { selector: ({ projectId }) => projectId, maxLength: 8 },
      )
      await fc.assert(
        fc.asyncProperty(projects, fc.integer({ min: 1, max: 4 }), async (some, limit) => {
          const store = await open()
          for (const each of some) await store.createProject({ ...each, name: 'x' })
          const expected = some
            .toSorted((a, b) => a.created - b.created || (a.projectId < b.projectId ? -1 : 1))
            .map(({ projectId }) => projectId)
          const seen: string[] = []
          for (let after: ProjectPosition | undefined; ; ) {
            const page = await store.listProjects({ after, limit })
            seen.push(...page.map(({ projectId }) => projectId))
            if (page.length < limit) break
            after = page.at(-1)
          }
          expect(seen).toEqual(expected)
          expect((await store.listProjects()).map(({ projectId }) => projectId)).toEqual(expected)
          await store.close()
        }),
        { numRuns: 8 },
      )
    })

    test('an id that is taken is a conflict and changes nothing', async () => {
      const store = await open()
      const projectId = await makeProject(store)
      const before = await store.findProject(projectId)
      await expect(store.createProject({ projectId, name: 'Other', created: 1 })).rejects.toMatchObject({
        code: 'conflict',
      })
      expect(await store.findProject(projectId)).toEqual(before)
    })
  })

  describe(`${name}: adding a root`, () => {
    const root = (projectId: string, more: Partial<NewRoot> = {}): NewRoot => ({
      projectId,
      rootId: randomUUID(),
      created: 1_605_813_006_223,
      digest: 'digest',
      jobs: [newJob({ name: 'one' }), newJob({ name: 'two' })],
      ...more,
    })

    test('gives back every field, jobs in their order', async () => {
      const store = await open()
      const projectId = await makeProject(store)
      const added = root(projectId, {
        jobs: [
          newJob({
            name: 'Ω “quoted” \\ \n 😀',
            url: 'https://example.com/?a=b&c',
            loadingTime: 0,
            basepath: '',
            width: 1,
            height: 65_535,
            created: 8_640_000_000_000_000,
          }),
          newJob(),
        ],
      })
      expect(await store.addRoot(added, nothing)).toBe('added')
      expect(await store.findRoot(projectId, added.rootId)).toEqual({
        rootId: added.rootId,
        created: added.created,
        revision: expect.any(String),
        jobCount: 2,
        digest: 'digest',
      })
      expect(await store.jobsOf(projectId, [added.rootId])).toEqual(
        added.jobs.map((job, position) => ({ ...job, rootId: added.rootId, position })),
      )
    })

    test('property: as text, jobs are what JSON.stringify makes of them, to the character', async () => {
      const store = await open()
      const projectId = await makeProject(store)
      // Every character that a store takes: none holds half of a pair, and one cannot hold NUL.
      const text = fc
        .string({ unit: 'grapheme-composite', maxLength: 40 })
        .chain((start) =>
          fc
            .array(fc.integer({ min: 1, max: 0xff }), { maxLength: 40 })
            .map((codes) => start + String.fromCharCode(...codes)),
        )
      const numbers = fc.integer({ min: 0, max: 2 ** 31 - 1 })
      const jobs = fc.array(
        fc.record({
          url: text,
          name: text,
          basepath: text,
          loadingTime: numbers,
          width: numbers,
          height: numbers,
        }),
        { maxLength: 12 },
      )
      await fc.assert(
        fc.asyncProperty(jobs, fc.nat(), async (some, created) => {
          const added = root(projectId, {
            jobs: some.map((each) => newJob({ ...each, uuid: randomUUID(), created })),
          })
          await store.addRoot(added, nothing)
          const expected = added.jobs.map(
            ({ uuid, url, name, loadingTime, height, width, basepath }, position) => ({
              position,
              uuid,
              fields: JSON.stringify({
                url: { url, name, loadingTime },
                meta: { created },
                screenshotParameter: { height, width, basepath, name: uuid },
              }).slice(1, -1),
            }),
          )
          const head = await store.findRoot(projectId, added.rootId)
          const texts = { head, jobs: expected }
          expect((await store.textsOf(projectId, [added.rootId])).get(added.rootId)).toEqual(texts)
          expect(await store.pageTexts(projectId, added.rootId, { from: 0, limit: 100 })).toEqual(texts)
          expect(await store.textsBetween(projectId, added, { first: 0, last: 99 })).toEqual(expected)
        }),
        { numRuns: 60 },
      )
    })

    test('publishes before anyone can see it', async () => {
      const store = await open()
      const projectId = await makeProject(store)
      const added = root(projectId)
      let seen: unknown = 'not called'
      await store.addRoot(added, async () => {
        seen = await store.findRoot(projectId, added.rootId)
      })
      expect(seen).toBeUndefined()
    })

    test('adds nothing where publishing fails, and can be tried again', async () => {
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

    test('a killed adder’s claim: the same content goes on at once, other content is refused and later let in', async () => {
      let now = 1_700_000_000_000
      const store = await open({ clock: () => now })
      const projectId = await makeProject(store)
      const added = root(projectId)
      const other = { ...added, digest: 'other' }
      const overlapping = root(projectId, { digest: 'third', jobs: added.jobs.slice(1) })
      // Never ends, as of a process that is gone.
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

    test('of two that publish the same, one adds it and the other finds it', async () => {
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

    test('of two that publish the same, one that fails leaves the other its claim', async () => {
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
      // And one that fails after the other has shown it takes nothing back.
      expect(await store.jobsOf(projectId, [added.rootId])).toHaveLength(2)
    })

    test('one that fails after another has shown the same takes nothing back', async () => {
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

    test('nobody answered: the ids stay taken for a while, but not for the same content', async () => {
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

    test('a claim that was made by a clock two hours ahead is dead once the clock is right', async () => {
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

    test('a claim is renewed while it is published, by whoever joined it as well', async () => {
      const time = stopClocks()
      const store = await open(time)
      const projectId = await makeProject(store)
      const added = root(projectId)
      const other = { ...added, digest: 'other' }
      // A killed one's claim, nearly dead, is joined.
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
        // Whatever was asked for before this is written by then; of eight in a row, one is enough.
        await makeProject(store)
      }
      await expect(store.addRoot(other, nothing)).rejects.toMatchObject({ code: 'conflict' })
      release()
      expect(await joined).toBe('added')
    })

    test('who still publishes when another shows the same stops, and finds it present', async () => {
      const time = stopClocks()
      const store = await open(time)
      const projectId = await makeProject(store)
      const added = root(projectId)
      const go = Promise.withResolvers<void>()
      const slow = store.addRoot(added, async (stillOurs) => {
        go.resolve()
        // It would go on for ever.
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

    test('who was frozen for too long finds out before the next picture, and is not told that it was added', async () => {
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

    test('while one publishes, others write', async () => {
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

    test('the same again is present, publishes nothing and changes nothing', async () => {
      const store = await open()
      const projectId = await makeProject(store)
      const added = root(projectId)
      await store.addRoot(added, nothing)
      const before = await store.findProject(projectId)
      const again = await store.addRoot(added, () => Promise.reject(new Error('must not publish')))
      expect(again).toBe('present')
      expect(await store.findProject(projectId)).toEqual(before)
    })

    test('another content under the same root, or a job of another root, is a conflict', async () => {
      const store = await open()
      const projectId = await makeProject(store)
      const added = root(projectId)
      await store.addRoot(added, nothing)
      const refuse = (other: NewRoot) =>
        expect(
          store.addRoot(other, () => Promise.reject(new Error('must not publish'))),
        ).rejects.toMatchObject({ code: 'conflict' })
      await refuse({ ...added, digest: 'other' })
      await refuse(root(projectId, { digest: 'other', jobs: [newJob(), ...added.jobs.slice(1)] }))
      expect(await store.pageRoots(projectId, { limit: 10 })).toHaveLength(1)
    })

    test('the same ids in another project are another root', async () => {
      const store = await open()
      const [mine, theirs] = [await makeProject(store), await makeProject(store)]
      const added = root(mine)
      await store.addRoot(added, nothing)
      expect(await store.addRoot({ ...added, projectId: theirs }, nothing)).toBe('added')
      expect(await store.jobsOf(theirs, [added.rootId])).toHaveLength(2)
    })

    test('an unknown project is not_found', async () => {
      const store = await open()
      await expect(store.addRoot(root(randomUUID()), nothing)).rejects.toMatchObject({ code: 'not_found' })
    })

    test('the jobs of a root can be read in parts', async () => {
      const store = await open()
      const projectId = await makeProject(store)
      const added = root(projectId, {
        jobs: Array.from({ length: 25 }, (_, index) => newJob({ name: String(index) })),
      })
      await store.addRoot(added, nothing)
      const parts: JobText[] = []
      for (let from = 0; ; ) {
        const page = { from, limit: 10 }
        const { jobs } = (await store.pageTexts(projectId, added.rootId, page)) ?? { jobs: [] }
        parts.push(...jobs)
        if (jobs.length < 10) break
        from = (jobs.at(-1)?.position ?? 0) + 1
      }
      expect(parts).toEqual((await store.textsOf(projectId, [added.rootId])).get(added.rootId)?.jobs)
      expect(parts.map(({ uuid }) => uuid)).toEqual(added.jobs.map(({ uuid }) => uuid))
      expect(await store.pageTexts(randomUUID(), added.rootId, { from: 0, limit: 10 })).toBeUndefined()
    })

    test('the positions of the jobs of a root are read at once, and the jobs between two of them', async () => {
      const store = await open()
      const projectId = await makeProject(store)
      const jobs = (positions: number[]) => positions.map((position) => newJob({ position }))
      const whole = root(projectId, { jobs: jobs([3, 4, 5, 6]) })
      const gaps = root(projectId, { jobs: jobs([1, 2, 9, 12]) })
      const empty = root(projectId, { jobs: [] })
      for (const added of [whole, gaps, empty]) await store.addRoot(added, nothing)
      const positions = async ({ rootId }: NewRoot, project = projectId) =>
        await store.findPositions(project, rootId)
      const head = async ({ rootId }: NewRoot) => await store.findRoot(projectId, rootId)
      const none = { only: undefined }
      expect(await positions(whole)).toEqual({ head: await head(whole), first: 3, last: 6, ...none })
      expect(await positions(gaps)).toEqual({
        ...{ head: await head(gaps), first: 1, last: 12 },
        only: [1, 2, 9, 12],
      })
      expect(await positions(empty)).toEqual({ head: await head(empty), first: 0, last: -1, ...none })
      expect(await positions(whole, randomUUID())).toBeUndefined()
      const between = async (added: Pick<NewRoot, 'rootId' | 'digest'>, first: number, last: number) =>
        (await store.textsBetween(projectId, added, { first, last })).map(({ position }) => position)
      expect(await between(whole, 4, 5)).toEqual([4, 5])
      expect(await between(gaps, 2, 12)).toEqual([2, 9, 12])
      expect(await between(gaps, 3, 8)).toEqual([])
      expect(await between({ ...whole, digest: 'another' }, 4, 5)).toEqual([])
      expect(await store.textsBetween(randomUUID(), whole, { first: 4, last: 5 })).toEqual([])
    })

    test('a root of 3,000 jobs fits, one without jobs too', async () => {
      const store = await open()
      const projectId = await makeProject(store)
      const large = root(projectId, {
        jobs: Array.from({ length: 3_000 }, (_, index) => newJob({ name: String(index) })),
      })
      const empty = root(projectId, { jobs: [] })
      await store.addRoot(large, nothing)
      await store.addRoot(empty, nothing)
      const jobs = await store.jobsOf(projectId, [large.rootId, empty.rootId])
      expect(jobs.map((job) => job.name)).toEqual(large.jobs.map((job) => job.name))
    })

    test('of many adders with one id, one adds and the others find it or are refused', async () => {
      const place = await driver.newPlace()
      const stores = [await driver.open(place), await driver.open(place)] as const
      const projectId = await makeProject(stores[0])
      const rootId = randomUUID()
      const published = new Set<string>()
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, async (_, index) => {
          const added = root(projectId, { rootId, digest: index % 4 === 0 ? 'a' : 'b' })
          try {
            return await stores[index % 2 === 0 ? 0 : 1].addRoot(added, async () => {
              published.add(added.digest)
            })
          } catch (error) {
            return (error as { code: string }).code
          }
        }),
      )
      expect(published.size).toBe(1)
      expect(outcomes.filter((outcome) => outcome === 'added')).toHaveLength(1)
      expect(new Set(outcomes)).toEqual(new Set(['added', 'present', 'conflict']))
    })
  })

  describe(`${name}: reading`, () => {
    test('a root or its jobs are never found through another project', async () => {
      const store = await open()
      const [mine, theirs] = [await makeProject(store), await makeProject(store)]
      const rootId = await addRows(store, theirs, { jobs: 2 })
      expect(await store.findRoot(mine, rootId)).toBeUndefined()
      expect(await store.jobsOf(mine, [rootId])).toEqual([])
      expect(await store.pageRoots(mine, { limit: 10 })).toEqual([])
    })

    test('property: pages of any size give every root once: newest first, then by id', async () => {
      const store = await open()
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ created: fc.integer({ min: 1, max: 4 }), rootId: fc.uuid() }), {
            maxLength: 12,
          }),
          fc.integer({ min: 1, max: 5 }),
          async (roots, limit) => {
            const projectId = await makeProject(store)
            const unique = [...new Map(roots.map((each) => [each.rootId, each])).values()]
            for (const each of unique) await addRows(store, projectId, each)
            const expected = unique.toSorted(
              (a, b) => b.created - a.created || (a.rootId < b.rootId ? -1 : 1),
            )
            const seen: string[] = []
            let after: RootPosition | undefined
            do {
              const page = await store.pageRoots(projectId, { after, limit })
              seen.push(...page.map((each) => each.rootId))
              after = page.length === limit ? page.at(-1) : undefined
            } while (after)
            expect(seen).toEqual(expected.map((each) => each.rootId))
          },
        ),
        { numRuns: 30 },
      )
    })

    test('every write gives the project and the root another revision, and no other project', async () => {
      const store = await open()
      const projectId = await makeProject(store)
      const other = await makeProject(store)
      const untouched = await store.findProject(other)
      const revisions = new Set([(await store.findProject(projectId))?.revision])
      for (let index = 0; index < 5; index++) {
        const rootId = await addRows(store, projectId)
        revisions.add((await store.findProject(projectId))?.revision)
        expect((await store.findRoot(projectId, rootId))?.revision).toBeTruthy()
      }
      expect(revisions.size).toBe(6)
      expect(await store.findProject(other)).toEqual(untouched)
    })

    test('what one connection wrote is in the next answer of another', async () => {
      const place = await driver.newPlace()
      const [writer, reader] = [await driver.open(place), await driver.open(place)]
      const projectId = await makeProject(writer)
      for (let index = 1; index <= 10; index++) {
        await addRows(writer, projectId)
        expect(await reader.pageRoots(projectId, { limit: 100 })).toHaveLength(index)
      }
    })
  })

  describe(`${name}: keys`, () => {
    const key = (projectId: string) => ({
      keyId: randomUUID(),
      projectId,
      scope: 'read' as const,
      label: 'CI',
      created: 5,
      revoked: undefined,
      hash: randomUUID(),
    })

    test('are found by hash until they are revoked', async () => {
      const store = await open()
      const created = key(await makeProject(store))
      await store.createKey(created)
      const { hash, ...found } = created
      expect(await store.findKey(hash)).toEqual(found)
      expect(await store.findKey('other')).toBeUndefined()
      expect(await store.revokeKey(created.keyId, 7)).toBe(true)
      expect(await store.revokeKey(created.keyId, 9)).toBe(true)
      expect(await store.revokeKey('other', 9)).toBe(false)
      expect(await store.findKey(hash)).toBeUndefined()
      expect(await store.listKeys()).toEqual([{ ...created, revoked: 7 }])
    })

    test('are listed by project; an unknown project gets none', async () => {
      const store = await open()
      const [mine, theirs] = [await makeProject(store), await makeProject(store)]
      await store.createKey(key(mine))
      await store.createKey(key(theirs))
      expect(await store.listKeys(mine)).toMatchObject([{ projectId: mine }])
      expect(await store.listKeys()).toHaveLength(2)
      await expect(store.createKey(key(randomUUID()))).rejects.toMatchObject({ code: 'not_found' })
    })
  })

  describe(`${name}: opening`, () => {
    test('many at once on a fresh place agree on one schema', async () => {
      const place = await (driver.newEmptyPlace ?? driver.newPlace)()
      const stores = await Promise.all(Array.from({ length: 6 }, () => driver.open(place)))
      const projectId = await makeProject(stores[0] as Store)
      for (const store of stores) expect(await store.findProject(projectId)).toBeDefined()
    })

    test('a closed store is unavailable', async () => {
      const store = await open()
      await store.check()
      await store.close()
      await expect(store.check()).rejects.toMatchObject({ code: 'unavailable' })
    })
  })

  describe(`${name}: ids of jobs`, () => {
    const start = async () => {
      const store = await driver.open(await driver.newPlace())
      return { store, projectId: await makeProject(store) }
    }

    test('are taken from the moment a root is being added, and free again if that fails', async () => {
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

    test('that are free can be held: meanwhile no root takes them, and nobody sees anything', async () => {
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

    test('that are held are free again when that fails', async () => {
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
