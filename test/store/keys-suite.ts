import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { KeyPosition, Store, StoredKey } from '../../src/store/store.ts'
import { makeProject } from '../support/store/results.ts'
import type { StoreDriver } from './store-driver.ts'

export function newKey(projectId: string | undefined, more: Partial<StoredKey> = {}): StoredKey {
  return {
    keyId: randomUUID(),
    projectId,
    scope: projectId === undefined ? 'admin' : 'read',
    label: 'CI',
    created: 5,
    revoked: undefined,
    hash: randomUUID(),
    ...more,
  }
}

export function keysSuite(name: string, driver: StoreDriver): void {
  const open = async () => driver.open(await driver.newPlace())

  describe(`${name}: keys`, () => {
    test('are found by hash until they are revoked', async () => {
      const store = await open()
      for (const created of [newKey(await makeProject(store)), newKey(undefined)]) {
        await store.createKey(created)
        const { hash, ...found } = created
        expect(await store.findKey(hash)).toEqual(found)
        expect(await store.findKey('other')).toBeUndefined()
        expect(await store.revokeKey(created.keyId, 7)).toBe(true)
        expect(await store.revokeKey(created.keyId, 9)).toBe(true)
        expect(await store.revokeKey('other', 9)).toBe(false)
        expect(await store.findKey(hash)).toBeUndefined()
        expect(await store.listKeys()).toContainEqual({ ...created, revoked: 7 })
      }
    })

    test('are listed by project; an unknown project has none', async () => {
      const store = await open()
      const [mine, theirs] = [await makeProject(store), await makeProject(store)]
      for (const projectId of [mine, theirs, undefined]) await store.createKey(newKey(projectId))
      expect(await store.listKeys({ projectId: mine })).toMatchObject([{ projectId: mine }])
      expect(await store.listKeys()).toHaveLength(3)
      await expect(store.createKey(newKey(randomUUID()))).rejects.toMatchObject({ code: 'not_found' })
    })

    test('belong to one project, or are admin keys: never both or neither', async () => {
      const store = await open()
      const projectId = await makeProject(store)
      await expect(store.createKey(newKey(projectId, { scope: 'admin' }))).rejects.toThrow()
      await expect(store.createKey(newKey(undefined, { scope: 'write' }))).rejects.toThrow()
      expect(await store.listKeys()).toEqual([])
    })

    test('property: list pages of any size contain every key once: oldest first, then by id', async () => {
      const made = fc.record({ created: fc.integer({ min: 0, max: 2 }), isAdmin: fc.boolean() })
      const keys = fc.array(made, { maxLength: 8 })
      const store = await open()
      await fc.assert(
        fc.asyncProperty(keys, fc.integer({ min: 1, max: 4 }), async (some, limit) => {
          const projectId = await makeProject(store)
          for (const { isAdmin, created } of some) {
            await store.createKey(newKey(isAdmin ? undefined : projectId, { created }))
          }
          for (const only of [{}, { projectId }]) {
            const seen: string[] = []
            for (let after: KeyPosition | undefined; ; ) {
              const page = await store.listKeys({ ...only, after, limit })
              seen.push(...page.map(({ keyId }) => keyId))
              if (page.length < limit) break
              after = page.at(-1)
            }
            const all = await store.listKeys(only)
            expect(seen).toEqual(all.map(({ keyId }) => keyId))
            expect(all).toEqual(all.toSorted((a, b) => a.created - b.created || (a.keyId < b.keyId ? -1 : 1)))
          }
        }),
        { numRuns: 5 },
      )
    })
  })

  describe(`${name}: the name of a project`, () => {
    test('changes with its revision, and only from the expected revision', async () => {
      const store = await open()
      const projectId = await makeProject(store)
      const before = await store.findProject(projectId)
      const renamed = await store.renameProject(projectId, 'New name')
      expect(renamed).toEqual({ ...before, name: 'New name', revision: expect.any(String) })
      expect(renamed?.revision).not.toBe(before?.revision)
      expect(await store.findProject(projectId)).toEqual(renamed)
      const late = store.renameProject(projectId, 'Too late', before?.revision)
      await expect(late).rejects.toMatchObject({ code: 'precondition_failed' })
      expect(await store.renameProject(projectId, 'Newer', renamed?.revision)).toMatchObject({
        name: 'Newer',
      })
      expect(await store.renameProject(randomUUID(), 'x')).toBeUndefined()
      const unknown = store.renameProject(randomUUID(), 'x', 'some revision')
      await expect(unknown).rejects.toMatchObject({ code: 'not_found' })
      await store.removals.removeProject(projectId, 1).next()
      expect(await store.renameProject(projectId, 'Gone')).toBeUndefined()
    })
  })
  describe(`${name}: ended sessions`, () => {
    const DAY = 86_400_000
    const SESSION = { session: 'ended', owner: 'somebody' }
    const MOST = { most: 100 }
    const forget = async (store: Store, now: number, limit = 100) =>
      await store.endedSessions.forget({ now, days: 45, limit })

    test('give access to no key, in every process and at once; all other sessions do', async () => {
      const place = await driver.newPlace()
      const stores = [await driver.open(place), await driver.open(place)] as const
      const key = newKey(undefined)
      await stores[0].createKey(key)
      for (const store of stores) expect(await store.findKey(key.hash, 'ended')).toBeDefined()
      await stores[0].endedSessions.end(SESSION, MOST)
      await stores[1].endedSessions.end(SESSION, MOST)
      for (const store of stores) {
        expect(await store.findKey(key.hash, 'ended')).toBeUndefined()
        expect(await store.findKey(key.hash, 'other')).toBeDefined()
        expect(await store.findKey(key.hash)).toBeDefined()
      }
    })

    test('are limited for each owner', async () => {
      const store = await open()
      for (const session of ['a', 'b']) await store.endedSessions.end({ ...SESSION, session }, { most: 2 })
      const third = store.endedSessions.end({ ...SESSION, session: 'c' }, { most: 2 })
      await expect(third).rejects.toMatchObject({ code: 'rate_limited' })
      await store.endedSessions.end({ session: 'c', owner: 'other' }, { most: 2 })
    })

    test('are forgotten after a counted number of days, and not because a clock jumps', async () => {
      const store = await open()
      const key = newKey(undefined)
      await store.createKey(key)
      const isEnded = async () => (await store.findKey(key.hash, 'ended')) === undefined
      let now = 1_800_000_000_000
      await forget(store, now)
      await store.endedSessions.end(SESSION, MOST)
      // A year ahead and back again, ten times.
      for (let jump = 0; jump < 10; jump++) {
        expect(await forget(store, now + 365 * DAY)).toBe(0)
        expect(await forget(store, now)).toBe(0)
      }
      for (let day = 0; day < 35; day++) {
        now += DAY
        // Several processes, each every hour.
        for (const hour of [0, 1, 2]) expect(await forget(store, now + hour * 3_600_000)).toBe(0)
        now += 2 * 3_600_000
      }
      expect(await isEnded()).toBe(true)
      for (let day = 1; day <= 11; day++) await forget(store, now + day * DAY)
      expect(await isEnded()).toBe(false)
    })
  })
}
