import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JobText } from '../../src/store/job-text.ts'
import type { NewRoot } from '../../src/store/store.ts'
import { rounds } from '../support/runner/rounds.ts'
import { makeProject, newJob } from '../support/store/results.ts'
import { newRoot as root } from './new-root.ts'
import type { StoreDriver } from './store-driver.ts'

/** What a store does with a root that is added. */
export function addingSuite(name: string, driver: StoreDriver): void {
  const open = async () => driver.open(await driver.newPlace())
  const nothing = async () => {}

  describe(`${name}: adding a root`, () => {
    test('stores every field, with the jobs in order', async () => {
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
        added.jobs.map((job, position) => ({
          ...{ ...job, rootId: added.rootId },
          ...{ position, picture: job.uuid },
        })),
      )
    })

    test('property: gives jobs as text exactly as JSON.stringify does', async () => {
      const store = await open()
      const projectId = await makeProject(store)
      // All characters that a store accepts: no half pairs, and one engine cannot store NUL.
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
            // Every second one has the picture of another job.
            jobs: some.map((each, index) =>
              newJob({
                ...{ ...each, uuid: randomUUID(), created },
                ...(index % 2 === 1 && { picture: randomUUID() }),
              }),
            ),
          })
          await store.addRoot(added, nothing)
          const expected = added.jobs.map(
            ({ uuid, picture = uuid, url, name, loadingTime, height, width, basepath }, position) => ({
              ...{ position, uuid, picture },
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
          const pictures = (await store.jobsOf(projectId, [added.rootId])).map(({ picture }) => picture)
          expect(pictures).toEqual(expected.map(({ picture }) => picture))
        }),
        { numRuns: rounds(30) },
      )
    })

    test('again with the same content is `present`, publishes nothing and changes nothing', async () => {
      const store = await open()
      const projectId = await makeProject(store)
      const added = root(projectId)
      await store.addRoot(added, nothing)
      const before = await store.findProject(projectId)
      const again = await store.addRoot(added, () => Promise.reject(new Error('must not publish')))
      expect(again).toBe('present')
      expect(await store.findProject(projectId)).toEqual(before)
    })

    test('with other content under the same id, or with a job of another root, is a conflict', async () => {
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

    test('with the same ids in another project creates another root', async () => {
      const store = await open()
      const [mine, theirs] = [await makeProject(store), await makeProject(store)]
      const added = root(mine)
      await store.addRoot(added, nothing)
      expect(await store.addRoot({ ...added, projectId: theirs }, nothing)).toBe('added')
      expect(await store.jobsOf(theirs, [added.rootId])).toHaveLength(2)
    })

    test('is not_found for an unknown project', async () => {
      const store = await open()
      await expect(store.addRoot(root(randomUUID()), nothing)).rejects.toMatchObject({ code: 'not_found' })
    })

    test('allows its jobs to be read in parts', async () => {
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

    test('allows the positions of its jobs to be read together, and the jobs from a position on', async () => {
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
      const some = async ({ rootId }: NewRoot, from: number, limit: number) =>
        (await store.pageTexts(projectId, rootId, { from, limit }))?.jobs.map(({ position }) => position)
      expect(await some(whole, 4, 2)).toEqual([4, 5])
      expect(await some(gaps, 2, 11)).toEqual([2, 9, 12])
      expect(await some(empty, 0, 10)).toEqual([])
    })

    test('works with 3,000 jobs, and with none', async () => {
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

    test('many times at once with one id adds it once; the others find it or are refused', async () => {
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
}
