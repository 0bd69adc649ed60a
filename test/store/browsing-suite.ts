import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CAPTURE_STATES, type Counts } from '../../src/contract/status.ts'
import type { CaptureTask } from '../../src/store/captures.ts'
import type { NewRoot, Store } from '../../src/store/store.ts'
import { FAILURE, newRequest, PICTURE } from '../support/captures.ts'
import { makeProject, newJob } from '../support/results.ts'
import type { StoreDriver } from './store-suite.ts'

/** What every store must answer to those who look around, whatever engine it runs on. */
export function browsingSuite(name: string, driver: StoreDriver): void {
  const open = async () => {
    const store = await driver.open(await driver.newPlace())
    return { store, browsing: store.browsing, projectId: await makeProject(store) }
  }
  const add = async (store: Store, projectId: string, jobs: NewRoot['jobs'], more: Partial<NewRoot> = {}) => {
    const rootId = randomUUID()
    await store.addRoot({ projectId, rootId, created: 1, digest: rootId, jobs, ...more }, async () => {})
    return rootId
  }

  describe(`${name}: roots at a glance`, () => {
    test('property: the counts are those of the captures, whatever happened to them', async () => {
      const { store, browsing, projectId } = await open()
      const steps = fc.array(
        fc.record({
          act: fc.constantFrom('accept', 'take', 'done', 'fail', 'putBack'),
          pages: fc.integer({ min: 1, max: 4 }),
          which: fc.nat(),
        }),
        { maxLength: 25 },
      )
      await fc.assert(
        fc.asyncProperty(steps, async (all) => {
          const rootIds: string[] = []
          const tasks: CaptureTask[] = []
          for (const { act, pages, which } of all) {
            if (act === 'accept') {
              const tags = Array.from({ length: which % 3 }, (_, index) => `“${index}”`)
              rootIds.push(await store.captures.accept(newRequest(projectId, { pages, tags })))
              continue
            }
            const rootId = rootIds[which % rootIds.length]
            const [task] = tasks.splice(which % (tasks.length || 1), 1)
            if (act === 'take' && rootId !== undefined) {
              const taken = await store.captures.takeNext({ now: 1e14, leaseMs: 1e14, rootId })
              if (taken) tasks.push(taken)
              if (task) tasks.push(task)
            } else if (task && act === 'putBack') {
              await store.captures.putBack(task, { due: 0, counts: true })
            } else if (task) {
              await store.captures.finish(task, act === 'done' ? PICTURE : FAILURE, 5)
            }
          }
          const summaries = await browsing.requestsOf(projectId, rootIds)
          expect(summaries.size).toBe(rootIds.length)
          for (const rootId of rootIds) {
            const { tags = [], captures = [] } = (await store.captures.findProgress(projectId, rootId)) ?? {}
            const count = (state: string) => captures.filter((each) => each.state === state).length
            const states = Object.fromEntries(CAPTURE_STATES.map((state) => [state, count(state)]))
            const counts = { total: captures.length, ...states } as Counts
            expect(summaries.get(rootId)).toEqual({ tags, counts })
          }
        }),
        { numRuns: 30 },
      )
    })

    test('a root that was imported has no request, nor has another project’s', async () => {
      const { store, browsing, projectId } = await open()
      const imported = await add(store, projectId, [newJob()])
      const asked = await store.captures.accept(newRequest(projectId))
      expect([...(await browsing.requestsOf(projectId, [imported, asked, randomUUID()])).keys()]).toEqual([
        asked,
      ])
      expect(await browsing.requestsOf(await makeProject(store), [imported, asked])).toEqual(new Map())
      expect(await browsing.requestsOf(projectId, [])).toEqual(new Map())
    })

    test('the first jobs of each root, in their order', async () => {
      const { store, browsing, projectId } = await open()
      const sizes = [0, 1, 3, 4, 1_000]
      const rootIds: string[] = []
      for (const size of sizes)
        rootIds.push(
          await add(
            store,
            projectId,
            Array.from({ length: size }, () => newJob()),
          ),
        )
      const first = await browsing.firstTexts(projectId, rootIds, 3)
      const all = await store.textsOf(projectId, rootIds)
      for (const rootId of rootIds) expect(first.get(rootId)).toEqual((all.get(rootId) ?? []).slice(0, 3))
      const other = await browsing.firstTexts(await makeProject(store), rootIds, 3)
      expect([...other.values()].flat()).toEqual([])
      expect(await browsing.firstTexts(projectId, [], 3)).toEqual(new Map())
    })
  })
}
