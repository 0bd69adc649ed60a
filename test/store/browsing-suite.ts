import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { MARK_NAMES } from '../../src/contract/seen.ts'
import type { Counts } from '../../src/contract/status.ts'
import type { LookedPage, RootFilter, ShownJob } from '../../src/store/browsing.ts'
import type { CaptureTask } from '../../src/store/captures.ts'
import { spellingsOf } from '../../src/store/sql/roots/browsing.ts'
import type { NewRoot, Store } from '../../src/store/store.ts'
import { rounds } from '../support/runner/rounds.ts'
import { FAILURE, newRequest, newSeen, PICTURE } from '../support/store/captures.ts'
import { makeProject, newJob } from '../support/store/results.ts'
import type { StoreDriver } from './store-driver.ts'

const STATES = ['queued', 'running', 'done', 'failed'] as const

function fail(): never {
  throw new Error('it is not there')
}

/** Queries for browsing that every store must answer. */
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

  const finished = async (store: Store, projectId: string) => {
    const rootId = await store.captures.accept(newRequest(projectId, { options: { tags: ['a'] } }))
    const task = await store.captures.takeNext({ now: 1e14, leaseMs: 1, rootId })
    if (!task) throw new Error('nothing is due')
    await store.captures.finish(task, FAILURE, 5)
    const progress = await store.captures.findProgress(projectId, rootId)
    if (!progress) throw new Error('there is no request')
    return { rootId, progress }
  }

  describe(`${name}: overviews of roots`, () => {
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
              rootIds.push(await store.captures.accept(newRequest(projectId, { pages, options: { tags } })))
              continue
            }
            const rootId = rootIds[which % rootIds.length]
            const [task] = tasks.splice(which % (tasks.length || 1), 1)
            if (act === 'take' && rootId !== undefined) {
              const taken = await store.captures.takeNext({ now: 1e14, leaseMs: 1e14, rootId })
              if (taken) tasks.push(taken)
              if (task) tasks.push(task)
            } else if (task && act === 'putBack') {
              await store.captures.putBack(task, { now: 1e14, due: 0, counts: true })
            } else if (task) {
              const marks = MARK_NAMES.filter((_, index) => which & (1 << index))
              const picture = { ...PICTURE, seen: newSeen({ marks }) }
              await store.captures.finish(task, act === 'done' ? picture : FAILURE, 5)
            }
          }
          const summaries = await browsing.requestsOf(projectId, rootIds)
          expect(summaries.size).toBe(rootIds.length)
          for (const rootId of rootIds) {
            const { options, captures = [] } = (await store.captures.findProgress(projectId, rootId)) ?? {}
            const count = (state: string) => captures.filter((each) => each.state === state).length
            const states = Object.fromEntries(STATES.map((state) => [state, count(state)]))
            const counts = { total: captures.length, ...states } as Counts
            const marks = MARK_NAMES.map((mark) => [
              mark,
              captures.filter(({ seen }) => seen?.marks.includes(mark)).length,
            ])
            const expected = {
              options,
              counts,
              marks: Object.fromEntries(marks.filter(([, count]) => count)),
            }
            expect(summaries.get(rootId)).toEqual(expected)
          }
        }),
        { numRuns: 30 },
      )
    })

    test('an imported root has no request, and neither has a root of another project', async () => {
      const { store, browsing, projectId } = await open()
      const imported = await add(store, projectId, [newJob()])
      const asked = await store.captures.accept(newRequest(projectId))
      expect([...(await browsing.requestsOf(projectId, [imported, asked, randomUUID()])).keys()]).toEqual([
        asked,
      ])
      expect(await browsing.requestsOf(await makeProject(store), [imported, asked])).toEqual(new Map())
      expect(await browsing.requestsOf(projectId, [])).toEqual(new Map())
    })

    test('adopting a request changes the revision, so that its tags are found', async () => {
      const { store, projectId } = await open()
      const rootId = await add(store, projectId, [])
      const { progress } = await finished(store, await makeProject(store))
      const before = await store.findProject(projectId)
      await store.captures.adopt(projectId, rootId, progress)
      const adopted = await store.findProject(projectId)
      expect(adopted?.revision).not.toBe(before?.revision)
      await store.captures.adopt(projectId, rootId, progress)
      expect(await store.findProject(projectId)).toEqual(adopted)
    })

    test('the first jobs of each root are in order', async () => {
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
      const first = await browsing.firstTexts(projectId, rootIds, { limit: 3 })
      const all = await store.textsOf(projectId, rootIds)
      for (const rootId of rootIds) {
        const expected = (all.get(rootId)?.jobs ?? []).slice(0, 3).map((text) => ({ ...text, seen: '' }))
        expect(first.get(rootId)).toEqual(expected)
      }
      const other = await browsing.firstTexts(await makeProject(store), rootIds, { limit: 3 })
      expect([...other.values()].flat()).toEqual([])
      expect(await browsing.firstTexts(projectId, [], { limit: 3 })).toEqual(new Map())
    })
  })

  describe(`${name}: a search`, () => {
    const found = async (store: Store, projectId: string, rootIds: string[], filter: RootFilter) => {
      const matching = await store.browsing.matching(projectId, rootIds, filter)
      return rootIds.map((rootId) => matching.has(rootId))
    }

    test.each([
      ['über', 'Über uns', 'ÜBER UNS', 'über uns'],
      ['ÜBER', 'Über uns', 'ÜBER UNS', 'über uns'],
      ['über öl', 'Über Öl', 'ÜBER ÖL', 'über öl', 'Über öl'],
      ['новая страница', 'Новая Страница', 'НОВАЯ СТРАНИЦА', 'Новая страница'],
      ['SHOP', 'The shop', 'SHOPPING', 'sHoP'],
      ['100%', '100% wool'],
      ['a_b', 'A_B'],
      ['a\\b', 'a\\B'],
      ["'", "it's"],
      ['🦊', 'the 🦊'],
    ])('finds %s in any spelling', async (q, ...names) => {
      const { store, projectId } = await open()
      const texts = [...names, 'the other', '1000 wool', 'axb', 'ab', '']
      const rootIds: string[] = []
      for (const text of texts) {
        rootIds.push(await add(store, projectId, [newJob({ name: 'x' }), newJob({ name: text })]))
        rootIds.push(await add(store, projectId, [newJob({ url: text })]))
      }
      const expected = texts.flatMap((text) => [names.includes(text), names.includes(text)])
      expect(await found(store, projectId, rootIds, { q })).toEqual(expected)
      expect(await found(store, await makeProject(store), rootIds, { q })).not.toContain(true)
    })

    test('property: finds exactly the texts that contain one of the spellings', async () => {
      const { store, browsing, projectId } = await open()
      const unit = fc.constantFrom(...'aAbBzZ%_\\\'"[]*?. äÄßéÉΩωΣςİıǆ한🦊\u0301\u2028\x01\x1e\n')
      const text = fc.string({ unit, maxLength: 12 })
      const search = fc.string({ unit, minLength: 1, maxLength: 3 })
      const root = fc.array(fc.record({ name: text, url: text }), { maxLength: 4 })
      await fc.assert(
        fc.asyncProperty(fc.array(root, { minLength: 1, maxLength: 6 }), search, async (roots, q) => {
          const rootIds: string[] = []
          for (const jobs of roots) rootIds.push(await add(store, projectId, jobs.map(newJob)))
          const fold = (some: string) => some.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
          const holds = (some: string) => spellingsOf(q).some((spelling) => fold(some).includes(spelling))
          const matches = ({ name: ofJob, url }: { name: string; url: string }) => holds(ofJob) || holds(url)
          expect(await found(store, projectId, rootIds, { q })).toEqual(
            roots.map((jobs) => jobs.some(matches)),
          )
          const first = await browsing.firstTexts(projectId, rootIds, { limit: 2, q })
          expect(rootIds.map((rootId) => first.get(rootId)?.map(({ position }) => position))).toEqual(
            roots.map((jobs) =>
              [...jobs.keys()].filter((index) => matches(jobs[index] ?? fail())).slice(0, 2),
            ),
          )
        }),
        { numRuns: rounds(30) },
      )
    })

    test('finds queued, failed and done pages', async () => {
      const { store, projectId } = await open()
      const accept = async (some: string[], more: object = {}) =>
        await store.captures.accept({
          ...newRequest(projectId, more),
          pages: some.map((page) => ({ url: `https://example.com/${page}`, name: page, loadingTime: 1 })),
        })
      const one = await accept(['needle', 'hay'])
      const other = await accept(['hay'])
      const check = async () => await found(store, projectId, [one, other], { q: 'NEEDLE' })
      expect(await check()).toEqual([true, false])
      const task = await store.captures.takeNext({ now: 1e14, leaseMs: 1e14, rootId: one })
      expect(await check()).toEqual([true, false])
      await store.captures.finish(task ?? fail(), FAILURE, 5)
      expect(await check()).toEqual([true, false])
      const done = await accept(['needle'])
      await store.captures.finish(
        (await store.captures.takeNext({ now: 1e14, leaseMs: 1e14, rootId: done })) ?? fail(),
        PICTURE,
        5,
      )
      expect(await found(store, projectId, [done], { q: 'needle' })).toEqual([true])
    })

    test('finds whole tags of the request', async () => {
      const { store, projectId } = await open()
      const tags = [['nightly', 'a "b" \\ Ä'], ['Nightly', 'night'], [], ['x', 'nightly']]
      const rootIds: string[] = [await add(store, projectId, [newJob()])]
      for (const some of tags)
        rootIds.push(await store.captures.accept(newRequest(projectId, { options: { tags: some } })))
      const check = (filter: RootFilter) => found(store, projectId, rootIds, filter)
      expect(await check({ tag: 'nightly' })).toEqual([false, true, false, false, true])
      expect(await check({ tag: 'a "b" \\ Ä' })).toEqual([false, true, false, false, false])
      for (const tag of ['nigh', '%', '["nightly"]', 'a "b" \\ ä'])
        expect(await check({ tag })).not.toContain(true)
      expect(await check({ tag: 'nightly', q: 'page 0' })).toEqual([false, true, false, false, true])
      expect(await check({ tag: 'nightly', q: 'nothing' })).not.toContain(true)
    })

    test('finds the last of very many jobs, wherever their positions have gaps', async () => {
      const { store, browsing, projectId } = await open()
      const jobs = Array.from({ length: 1_001 }, (_, index) =>
        newJob({ name: index % 400 === 0 ? 'needle' : 'hay', position: index * 3 }),
      )
      const rootId = await add(store, projectId, jobs)
      const other = await add(store, projectId, [
        ...jobs.slice(0, 1_000).map(() => newJob()),
        newJob({ name: 'pin' }),
      ])
      expect(await found(store, projectId, [rootId, other], { q: 'pin' })).toEqual([false, true])
      const texts = await browsing.firstTexts(projectId, [rootId, other], { limit: 12, q: 'needle' })
      expect(texts.get(rootId)?.map(({ position }) => position)).toEqual([0, 1_200, 2_400])
      expect(texts.get(other)).toEqual([])
    })
  })

  describe(`${name}: pages`, () => {
    /** A root that must not be visible. */
    const claim = async (store: Store, projectId: string, jobs: NewRoot['jobs']) => {
      const { promise: claimed, resolve } = Promise.withResolvers<void>()
      const rootId = randomUUID()
      const { promise: end, resolve: release } = Promise.withResolvers<void>()
      const adding = store.addRoot({ projectId, rootId, created: 1, digest: rootId, jobs }, async () => {
        resolve()
        await end
      })
      await claimed
      onTestFinished(async () => {
        release()
        await adding
      })
    }
    const walk = async (store: Store, projectId: string, limit: number, q?: string) => {
      const all: LookedPage[] = []
      for (;;) {
        const some = await store.browsing.nextPages(projectId, { after: all.at(-1)?.url, limit, q })
        all.push(...some)
        if (some.length < limit) return all
      }
    }
    const readHistory = async (store: Store, projectId: string, url: string, limit: number) => {
      const all: ShownJob[] = []
      for (;;) {
        const last = all.at(-1)
        const after = last && { created: last.created, ...last.text }
        const some = await store.browsing.pageHistory(projectId, url, { after, limit })
        all.push(...some)
        if (some.length < limit) return all
      }
    }

    test('are counted in the newest roots, without pictures that are not shown yet', async () => {
      const { store, browsing, projectId } = await open()
      expect(await browsing.countNewest(projectId, 1)).toEqual({ pictures: 0, hasMore: false })
      const jobs = (count: number) => Array.from({ length: count }, () => newJob())
      for (const [created, count] of [3, 1, 2].entries())
        await add(store, projectId, jobs(count), { created })
      await add(store, await makeProject(store), jobs(5))
      await claim(store, projectId, jobs(7))
      for (const [most, pictures] of [2, 3, 6].entries()) {
        expect(await browsing.countNewest(projectId, most + 1)).toEqual({ pictures, hasMore: most < 2 })
      }
    })

    test('property: are listed once each, in the byte order of their URLs, with their figures', async () => {
      const { store, browsing } = await open()
      const unit = fc.constantFrom(...'aAbZ%_\\\'"/~ äÄé한🦊\uffff\u0301\x01\n')
      // Some URLs are longer than an index entry may be.
      const address = fc.oneof(
        fc.string({ unit, maxLength: 3 }),
        fc.string({ unit, maxLength: 3 }).map((text) => `${text}${'🦊'.repeat(490)}`),
        fc.string({ unit, minLength: 8_000, maxLength: 8_192 }),
      )
      const job = fc.record({
        url: fc.nat(5),
        name: fc.string({ unit, maxLength: 3 }),
        created: fc.nat(3),
      })
      const roots = fc.array(fc.record({ jobs: fc.array(job, { maxLength: 5 }), claimed: fc.boolean() }), {
        maxLength: 6,
      })
      const addresses = fc.array(address, { minLength: 6, maxLength: 6 })
      await fc.assert(
        fc.asyncProperty(addresses, roots, fc.integer({ min: 1, max: 4 }), async (urls, some, limit) => {
          const projectId = await makeProject(store)
          const shown: (NewRoot['jobs'][number] & { rootId: string; position: number })[] = []
          const everywhere = new Set<string>()
          for (const { jobs, claimed } of some) {
            const added = jobs.map((each) => newJob({ ...each, url: urls[each.url] ?? '' }))
            for (const { url } of added) everywhere.add(url)
            if (claimed) await claim(store, projectId, added)
            else {
              const rootId = await add(store, projectId, added)
              shown.push(...added.map((each, position) => ({ ...each, rootId, position })))
            }
          }
          const inOrder = [...everywhere].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
          const looked = await walk(store, projectId, limit)
          expect(looked.map(({ url }) => url)).toEqual(inOrder)
          const counts = await browsing.countPictures(projectId, inOrder, 3)
          for (const [index, url] of inOrder.entries()) {
            const history = shown
              .filter((each) => each.url === url)
              .sort((a, b) => b.created - a.created || a.position - b.position || (a.uuid < b.uuid ? -1 : 1))
            const [latest] = history
            expect(looked[index]?.uuid).toBe(latest?.uuid)
            expect(looked[index]?.latest?.text.uuid).toBe(latest?.uuid)
            const past = await readHistory(store, projectId, url, limit)
            const plain = ({ rootId, url: of, name: as, created, text: { uuid } }: ShownJob) => ({
              ...{ rootId, url: of, name: as, created, uuid },
            })
            expect(past.map(plain)).toEqual(
              history.map(({ rootId, url: of, name: as, created, uuid }) => ({
                ...{ rootId, url: of, name: as, created, uuid },
              })),
            )
            if (latest) {
              expect(counts[index]).toEqual({
                pictures: Math.min(3, history.length),
                oldest: history.at(-1)?.created,
              })
            }
          }
        }),
        { numRuns: rounds(15) },
      )
    })

    test('with URLs that share a long beginning are told apart', async () => {
      const { store, browsing, projectId } = await open()
      const long = `https://example.com/${'x'.repeat(8_000)}`
      const urls = Array.from({ length: 30 }, (_, index) => `${long}${index % 10}`)
      const rootId = await add(
        store,
        projectId,
        urls.map((url) => newJob({ url })),
      )
      for (const limit of [1, 3, 100]) {
        const looked = (await walk(store, projectId, limit)).map(({ url }) => url)
        expect(looked.toSorted()).toEqual([...new Set(urls)].sort())
      }
      expect(await browsing.countPictures(projectId, [...new Set(urls)], 100)).toEqual(
        Array.from({ length: 10 }, () => ({ pictures: 3, oldest: 1_700_000_000_000 })),
      )
      const past = await readHistory(store, projectId, `${long}3`, 2)
      expect(past.map(({ url, rootId: of }) => [url, of])).toEqual(past.map(() => [`${long}3`, rootId]))
      expect(past).toHaveLength(3)
    })

    test('are found by their URL or their last name, in more than one look', async () => {
      const { store, projectId } = await open()
      const jobs = Array.from({ length: 350 }, (_, index) =>
        newJob({ url: `https://example.com/${String(index).padStart(3, '0')}`, name: 'Alt' }),
      )
      await add(store, projectId, jobs)
      const renamed = jobs.filter((_, index) => index % 50 === 7)
      await add(
        store,
        projectId,
        renamed.map(({ url }) => newJob({ url, name: 'Über uns', created: 1_800_000_000_000 })),
      )
      const search = async (q: string) => {
        const looked = await walk(store, projectId, 250, q)
        expect(looked).toHaveLength(350)
        expect(looked.every(({ uuid }) => uuid !== undefined)).toBe(true)
        return looked.filter(({ latest }) => latest).map(({ latest }) => latest?.url.slice(-3))
      }
      expect(await search('ÜBER')).toEqual(['007', '057', '107', '157', '207', '257', '307'])
      expect(await search('COM/34')).toEqual(Array.from({ length: 10 }, (_, index) => `34${index}`))
      expect(await search('alt')).toHaveLength(343)
      expect(await search('%')).toEqual([])
    })

    test('are those of their own project', async () => {
      const { store, browsing, projectId } = await open()
      const other = await makeProject(store)
      const theirs = newJob()
      await add(store, other, [theirs])
      expect(await walk(store, projectId, 10)).toEqual([])
      expect(await readHistory(store, projectId, theirs.url, 10)).toEqual([])
      expect(await browsing.countPictures(projectId, [theirs.url], 10)).toEqual([{ pictures: 0, oldest: 0 }])
      expect(await browsing.countPictures(projectId, [], 10)).toEqual([])
      expect(await browsing.findJob(projectId, theirs.uuid)).toBeUndefined()
      expect(await browsing.findJob(other, theirs.uuid)).toMatchObject({ url: theirs.url, name: theirs.name })
      const hidden = newJob()
      await claim(store, other, [hidden])
      expect(await browsing.findJob(other, hidden.uuid)).toBeUndefined()
    })
  })
}
