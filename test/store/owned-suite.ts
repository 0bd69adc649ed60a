import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Expected, ListPage, Room } from '../../src/store/owned.ts'
import type { Store } from '../../src/store/store.ts'
import { makeProject } from '../support/store/results.ts'
import { NOW, newWebhook } from '../support/store/webhooks.ts'
import { newSchedule } from './schedules-suite.ts'
import type { StoreDriver } from './store-driver.ts'
import { templatesSuite } from './templates-suite.ts'

interface Key {
  readonly projectId: string
  readonly id: string
}

interface Row {
  readonly name: string
  readonly created: number
  readonly revision: string
}

/** The operations on one kind of rows. */
interface Kind {
  readonly newestFirst?: true
  create(store: Store, key: Key, created: number, room?: Room): Promise<Row>
  find(store: Store, key: Key): Promise<Row | undefined>
  ids(store: Store, projectId: string, page: ListPage): Promise<{ id: string; created: number }[]>
  /** Renames it. */
  rename(store: Store, key: Key, name: string, expected?: Expected): Promise<Row>
  remove(store: Store, key: Key, expected?: Expected): Promise<void>
}

const templateKey = ({ projectId, id }: Key) => ({ projectId, templateId: id })
const scheduleKey = ({ projectId, id }: Key) => ({ projectId, scheduleId: id })
const webhookKey = ({ projectId, id }: Key) => ({ projectId, webhookId: id })
const TEMPLATE = { name: 'Nightly', request: '{"urls":[]}', sealed: undefined }

const KINDS: Readonly<Record<string, Kind>> = {
  templates: {
    newestFirst: true,
    create: ({ templates }, key, created, room) =>
      templates.create({ ...TEMPLATE, ...templateKey(key), created }, room),
    find: ({ templates }, key) => templates.find(templateKey(key)),
    ids: async ({ templates }, projectId, page) =>
      (await templates.page(projectId, page)).map(({ templateId: id, created }) => ({ id, created })),
    rename: ({ templates }, key, name, expected) =>
      templates.change(templateKey(key), { ...TEMPLATE, name, changed: NOW }, expected),
    remove: ({ templates }, key, expected) => templates.remove(templateKey(key), expected),
  },
  schedules: {
    create: ({ schedules }, { projectId, ...key }, created, room) =>
      schedules.create(newSchedule(projectId, { scheduleId: key.id, created }), room),
    find: ({ schedules }, key) => schedules.find(scheduleKey(key)),
    ids: async ({ schedules }, projectId, page) =>
      (await schedules.page(projectId, page)).map(({ scheduleId: id, created }) => ({ id, created })),
    rename: ({ schedules }, { projectId, id }, name, expected) =>
      schedules.change({ ...newSchedule(projectId, { scheduleId: id, name }), changed: NOW }, expected),
    remove: ({ schedules }, key, expected) => schedules.remove(scheduleKey(key), expected),
  },
  webhooks: {
    create: ({ webhooks }, { projectId, id }, created, room) =>
      webhooks.create(newWebhook(projectId, { webhookId: id, created }), room),
    find: ({ webhooks }, key) => webhooks.find(webhookKey(key)),
    ids: async ({ webhooks }, projectId, page) =>
      (await webhooks.page(projectId, page)).map(({ webhookId: id, created }) => ({ id, created })),
    rename: ({ webhooks }, key, name, expected) =>
      webhooks.change(
        webhookKey(key),
        { ...newWebhook(key.projectId), name },
        { now: NOW, ...(expected?.revision !== undefined && { revision: expected.revision }) },
      ),
    remove: ({ webhooks }, key, expected) => webhooks.remove(webhookKey(key), expected),
  },
}

const NOT_FOUND = { code: 'not_found' }
const CHANGED = { code: 'precondition_failed' }

/** What every store does with rows that a project owns. */
export function ownedSuite(name: string, driver: StoreDriver): void {
  const open = async () => {
    const store = await driver.open(await driver.newPlace())
    return { store, key: { projectId: await makeProject(store), id: randomUUID() } }
  }

  describe.each(Object.entries(KINDS))(`${name}: %s`, (table, kind) => {
    test('are created, found, changed and removed in their own project only', async () => {
      const { store, key } = await open()
      const made = await kind.create(store, key, NOW)
      expect(made).toMatchObject({ created: NOW, changed: NOW })
      expect(await kind.find(store, key)).toEqual(made)
      const foreign = { ...key, projectId: await makeProject(store) }
      expect(await kind.find(store, foreign)).toBeUndefined()
      expect(await kind.ids(store, foreign.projectId, { limit: 9 })).toEqual([])
      await expect(kind.rename(store, foreign, 'Other')).rejects.toMatchObject(NOT_FOUND)
      await expect(kind.remove(store, foreign)).rejects.toMatchObject(NOT_FOUND)
      expect(await kind.find(store, key)).toEqual(made)
      const changed = await kind.rename(store, key, 'Other')
      expect(changed).toMatchObject({ name: 'Other', created: NOW })
      expect(changed.revision).not.toBe(made.revision)
      expect(await kind.find(store, key)).toEqual(changed)
      await kind.remove(store, key)
      expect(await kind.find(store, key)).toBeUndefined()
      await expect(kind.remove(store, key)).rejects.toMatchObject(NOT_FOUND)
      await expect(kind.rename(store, key, 'Late')).rejects.toMatchObject(NOT_FOUND)
    })

    test('are changed and removed only at the expected revision', async () => {
      const { store, key } = await open()
      const made = await kind.create(store, key, NOW)
      const other = { revision: 'other' }
      await expect(kind.rename(store, key, 'Other', other)).rejects.toMatchObject(CHANGED)
      await expect(kind.remove(store, key, other)).rejects.toMatchObject(CHANGED)
      expect(await kind.find(store, key)).toEqual(made)
      const all = Array.from({ length: 5 }, (_, index) => kind.rename(store, key, `${index}`, made))
      const ends = (await Promise.allSettled(all)).map(({ status }) => status)
      expect(ends.filter((end) => end === 'fulfilled')).toHaveLength(1)
      await expect(kind.remove(store, key, made)).rejects.toMatchObject(CHANGED)
    })

    test('are refused in an unknown project, with an id in use, or beyond the limit', async () => {
      const { store, key } = await open()
      const unknown = { ...key, projectId: randomUUID() }
      await expect(kind.create(store, unknown, NOW)).rejects.toMatchObject(NOT_FOUND)
      await kind.create(store, key, NOW)
      await expect(kind.create(store, key, NOW)).rejects.toMatchObject({ code: 'conflict' })
      const more = Array.from({ length: 4 }, () =>
        kind
          .create(store, { ...key, id: randomUUID() }, NOW, { most: 3 })
          .catch(({ code, message }) => [code, message]),
      )
      const full = [
        'conflict',
        `this project has reached its limit of 3 ${table} (MAX_${table.toUpperCase()}): remove some first`,
      ]
      expect((await Promise.all(more)).filter(Array.isArray)).toEqual([full, full])
      expect(await kind.ids(store, key.projectId, { limit: 9 })).toHaveLength(3)
    })

    test('property: list pages of any size contain every row once, by age, then by id', async () => {
      const { store } = await open()
      const some = fc.uniqueArray(fc.record({ created: fc.integer({ min: 0, max: 3 }), id: fc.uuid() }), {
        selector: ({ id }) => id,
        maxLength: 8,
      })
      const age = kind.newestFirst ? -1 : 1
      await fc.assert(
        fc.asyncProperty(some, fc.integer({ min: 1, max: 4 }), async (all, limit) => {
          const projectId = await makeProject(store)
          for (const { id, created } of all) await kind.create(store, { projectId, id }, created)
          const seen: { id: string; created: number }[] = []
          for (;;) {
            const page = await kind.ids(store, projectId, { after: seen.at(-1), limit })
            seen.push(...page)
            if (page.length < limit) break
          }
          const expected = all.toSorted((a, b) => age * (a.created - b.created) || (a.id < b.id ? -1 : 1))
          expect(seen).toEqual(expected)
        }),
        { numRuns: 8 },
      )
    })
  })
  templatesSuite(name, driver)
}
