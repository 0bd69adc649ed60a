import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import type { NewTemplate, TemplatePosition } from '../../src/store/templates.ts'
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
    test('are made, found, changed and removed, each in its own project alone', async () => {
      const { store, projectId } = await open()
      const { key, revision, ...made } = await make(store, projectId)
      expect(made).toEqual({ ...key, ...NEW, changed: 10, lastRoot: undefined })
      const foreign = { ...key, projectId: await makeProject(store) }
      expect(await store.templates.find(foreign)).toBeUndefined()
      expect(await store.templates.findAll(foreign.projectId, [key.templateId])).toEqual([])
      expect(await store.templates.page(foreign.projectId, { limit: 9 })).toEqual([])
      const change = { name: 'Weekly', request: '{"urls":[1]}', sealed: undefined, changed: 20 }
      expect(await store.templates.change(foreign, change)).toBe('missing')
      expect(await store.templates.remove(foreign)).toBe('missing')
      expect(await store.templates.find(key)).toMatchObject({ name: 'Nightly', revision })
      const changed = await store.templates.change(key, change)
      expect(changed).toEqual({
        ...key,
        ...change,
        created: 10,
        revision: expect.any(String),
        lastRoot: undefined,
      })
      expect(changed).not.toMatchObject({ revision })
      expect(await store.templates.find(key)).toEqual(changed)
      expect(await store.templates.remove(key)).toBe('done')
      expect(await store.templates.find(key)).toBeUndefined()
      expect(await store.templates.remove(key)).toBe('missing')
    })

    test('are changed and removed only at the revision that was expected', async () => {
      const { store, projectId } = await open()
      const { key, revision } = await make(store, projectId)
      const change = { ...NEW, changed: 20 }
      expect(await store.templates.change(key, change, { revision: 'other' })).toBe('other')
      expect(await store.templates.remove(key, { revision: 'other' })).toBe('other')
      expect((await store.templates.find(key))?.revision).toBe(revision)
      const all = Array.from({ length: 5 }, () => store.templates.change(key, change, { revision }))
      const ends = (await Promise.all(all)).map((end) => (end === 'other' ? end : 'done'))
      expect(ends.toSorted()).toEqual(['done', 'other', 'other', 'other', 'other'])
    })

    test('of an unknown project, with an id that is taken, or too many of them are refused', async () => {
      const { store, projectId } = await open()
      await expect(make(store, randomUUID())).rejects.toMatchObject({ code: 'not_found' })
      const { key } = await make(store, projectId)
      await expect(make(store, projectId, key)).rejects.toMatchObject({ code: 'conflict' })
      const more = Array.from({ length: 4 }, () =>
        store.templates
          .create({ ...NEW, projectId, templateId: randomUUID() }, { most: 3 })
          .catch(({ code, message }) => [code, message]),
      )
      const full = ['conflict', 'this project has 3 templates, and may have 3: remove some first']
      expect((await Promise.all(more)).filter(Array.isArray)).toEqual([full, full])
      expect(await store.templates.page(projectId, { limit: 9 })).toHaveLength(3)
    })

    test('property: pages of any size give every template once: newest first, then by id', async () => {
      const { store } = await open()
      const some = fc.uniqueArray(
        fc.record({ created: fc.integer({ min: 0, max: 3 }), templateId: fc.uuid() }),
        {
          selector: ({ templateId }) => templateId,
          maxLength: 8,
        },
      )
      await fc.assert(
        fc.asyncProperty(some, fc.integer({ min: 1, max: 4 }), async (all, limit) => {
          const projectId = await makeProject(store)
          for (const each of all) await make(store, projectId, each)
          const expected = all
            .toSorted((a, b) => b.created - a.created || (a.templateId < b.templateId ? -1 : 1))
            .map((each) => ({ ...each, name: NEW.name, bytes: 11 }))
          const seen = []
          for (let after: TemplatePosition | undefined; ; ) {
            const page = await store.templates.page(projectId, { after, limit })
            seen.push(...page)
            if (page.length < limit) break
            after = page.at(-1)
          }
          expect(seen).toEqual(expected)
        }),
        { numRuns: 8 },
      )
    })

    test('remember the last root that was made from them, and keep their revision', async () => {
      const { store, projectId } = await open()
      const { key, revision } = await make(store, projectId)
      const first = await run(store, projectId, key.templateId, { idempotencyKey: 'k' })
      expect(await store.templates.find(key)).toMatchObject({ lastRoot: first, revision })
      const second = await run(store, projectId, key.templateId)
      // A repetition is not a run.
      expect(await run(store, projectId, key.templateId, { idempotencyKey: 'k' })).toBe(first)
      expect(await store.templates.find(key)).toMatchObject({ lastRoot: second })
      const refused = store.captures.accept(
        { ...newRequest(projectId), origin: { templateId: key.templateId } },
        { mostWaiting: 0 },
      )
      await expect(refused).rejects.toMatchObject({ code: 'rate_limited' })
      expect(await store.templates.find(key)).toMatchObject({ lastRoot: second })
    })

    test('leave their roots, which keep the id and are found by it', async () => {
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

    test('go with their project at once', async () => {
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
