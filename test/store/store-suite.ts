import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ProjectPosition, RootPosition, Store } from '../../src/store/store.ts'
import { rounds } from '../support/runner/rounds.ts'
import { addRows, makeProject } from '../support/store/results.ts'
import { addingSuite } from './adding-suite.ts'
import { claimsSuite } from './claims-suite.ts'
import { keysSuite } from './keys-suite.ts'
import type { StoreDriver } from './store-driver.ts'

/** What every store must do. */
export function storeSuite(name: string, driver: StoreDriver): void {
  const open = async () => driver.open(await driver.newPlace())

  addingSuite(name, driver)
  claimsSuite(name, driver)
  keysSuite(name, driver)

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

    test('property: list pages of any size contain every project once: oldest first, then by id', async () => {
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

    test('an id in use is a conflict and changes nothing', async () => {
      const store = await open()
      const projectId = await makeProject(store)
      const before = await store.findProject(projectId)
      await expect(store.createProject({ projectId, name: 'Other', created: 1 })).rejects.toMatchObject({
        code: 'conflict',
      })
      expect(await store.findProject(projectId)).toEqual(before)
    })
  })

  describe(`${name}: reading`, () => {
    test('never finds a root or its jobs through another project', async () => {
      const store = await open()
      const [mine, theirs] = [await makeProject(store), await makeProject(store)]
      const rootId = await addRows(store, theirs, { jobs: 2 })
      expect(await store.findRoot(mine, rootId)).toBeUndefined()
      expect(await store.jobsOf(mine, [rootId])).toEqual([])
      expect(await store.pageRoots(mine, { limit: 10 })).toEqual([])
    })

    test('property: list pages of any size contain every root once: newest first, then by id', async () => {
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
        { numRuns: rounds(15) },
      )
    })

    test('sees a new revision of the project and the root after every write, and of no other project', async () => {
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

    test('on one connection sees at once what another has written', async () => {
      const place = await driver.newPlace()
      const [writer, reader] = [await driver.open(place), await driver.open(place)]
      const projectId = await makeProject(writer)
      for (let index = 1; index <= 10; index++) {
        await addRows(writer, projectId)
        expect(await reader.pageRoots(projectId, { limit: 100 })).toHaveLength(index)
      }
    })
  })

  describe(`${name}: opening`, () => {
    test('many stores at once in a new place agree on one schema', async () => {
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
}
