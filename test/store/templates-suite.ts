import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import type { NewTemplate } from '../../src/store/templates.ts'
import { newRequest } from '../support/store/captures.ts'
import { makeProject } from '../support/store/results.ts'
import type { StoreDriver } from './store-driver.ts'

const NEW = { name: 'Nightly', request: '{"urls":[]}', sealed: '1.k1.sealed', created: 10 }

/** What every store does with templates. */
export function templatesSuite(name: string, driver: StoreDriver): void {
  const open = async () => {
    const store = await driver.open(await driver.newPlace())
    return { store, projectId: await makeProject(store) }
  }
  const make = async ({ templates }: Store, projectId: string, more: Partial<NewTemplate> = {}) => {
    const key = { projectId, templateId: more.templateId ?? randomUUID() }
    const made = await templates.create({ ...NEW, ...more, ...key })
    expect(await templates.find(key)).toEqual(made)
    return { key, ...made }
  }
  const run = (store: Store, projectId: string, templateId: string, more = {}) =>
    store.captures.accept({ ...newRequest(projectId), origin: { templateId }, ...more })

  describe(`${name}: templates`, () => {
    test('are listed without their requests, and found together', async () => {
      const { store, projectId } = await open()
      const { key, ...made } = await make(store, projectId)
      const { templateId, name, created } = made
      expect(await store.templates.page(projectId, { limit: 9 })).toEqual([
        { templateId, name, created, bytes: NEW.request.length },
      ])
      expect(await store.templates.findAll(projectId, [templateId, randomUUID()])).toEqual([made])
      expect(await store.templates.findAll(await makeProject(store), [templateId])).toEqual([])
      expect(await store.templates.has(key)).toBe(true)
      const change = { name: 'Weekly', request: '{"urls":[1]}', sealed: undefined, changed: 20 }
      expect(await store.templates.change(key, change)).toEqual({
        ...{ ...made, ...change },
        revision: expect.any(String),
      })
    })

    test('remember the last root that was created from them, and keep their revision', async () => {
      const { store, projectId } = await open()
      const { key, revision } = await make(store, projectId)
      const first = await run(store, projectId, key.templateId, { idempotencyKey: 'k' })
      expect(await store.templates.find(key)).toMatchObject({ lastRoot: first, revision })
      const second = await run(store, projectId, key.templateId)
      // A repeated request is not a run.
      expect(await run(store, projectId, key.templateId, { idempotencyKey: 'k' })).toBe(first)
      expect(await store.templates.find(key)).toMatchObject({ lastRoot: second })
      const refused = store.captures.accept(
        { ...newRequest(projectId), origin: { templateId: key.templateId } },
        { mostWaiting: 0 },
      )
      await expect(refused).rejects.toMatchObject({ code: 'rate_limited' })
      expect(await store.templates.find(key)).toMatchObject({ lastRoot: second })
    })

    test('are removed without their roots, which keep the template id and are found by it', async () => {
      const { store, projectId } = await open()
      const { key } = await make(store, projectId)
      const other = await make(store, projectId)
      const mine = await run(store, projectId, key.templateId)
      const rootIds = [
        mine,
        await run(store, projectId, other.templateId),
        await store.captures.accept(newRequest(projectId)),
      ]
      await store.templates.remove(key)
      const { templateId } = key
      expect(await store.browsing.matching(projectId, rootIds, { template: templateId })).toEqual(
        new Set([mine]),
      )
      expect(await store.browsing.matching(projectId, rootIds, { template: randomUUID() })).toEqual(new Set())
      const summaries = await store.browsing.requestsOf(projectId, rootIds)
      expect(rootIds.map((rootId) => summaries.get(rootId)?.origin)).toEqual([
        { templateId },
        { templateId: other.templateId },
        undefined,
      ])
      expect((await store.captures.findProgress(projectId, mine))?.origin).toEqual({ templateId })
    })

    test('are removed with their project at once', async () => {
      const { store, projectId } = await open()
      const { key } = await make(store, projectId)
      for await (const _ of store.removals.removeProject(projectId, 1)) break
      expect(await store.templates.find(key)).toBeUndefined()
      await expect(make(store, projectId)).rejects.toMatchObject({ code: 'not_found' })
      for await (const _ of store.removals.removeProject(projectId, 1));
      expect(await store.removals.forgetProject(projectId)).toBe(true)
    })
  })
}
