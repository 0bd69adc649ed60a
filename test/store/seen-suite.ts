import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { MARK_NAMES, type Mark, type Seen } from '../../src/contract/seen.ts'
import type { Captured, CaptureTask, Failed, RequestedPage } from '../../src/store/captures.ts'
import type { Store } from '../../src/store/store.ts'
import { FAILURE, newRequest, newSeen, PICTURE } from '../support/store/captures.ts'
import { addRows, makeProject } from '../support/store/results.ts'
import type { StoreDriver } from './store-driver.ts'

/** Texts that a page may contain. JSON escapes some of them, and the engines use some as separators. */
const ODD: Seen = newSeen({
  status: 404,
  url: 'https://example.com/?a="b"\\#\u2028',
  title: 'Ω “quoted” "plain" \\ \n \x01\x1e\x1f 😀 </script>',
  failedResources: 7,
  marks: ['error', 'incomplete'],
})

/** What every store must keep of data seen of a page. */
export function seenSuite(name: string, driver: StoreDriver): void {
  const open = async () => {
    const store = await driver.open(await driver.newPlace())
    return { store, browsing: store.browsing, projectId: await makeProject(store) }
  }
  const begin = async (store: Store, rootId: string): Promise<CaptureTask> => {
    const task = await store.captures.takeNext({ now: 1e14, leaseMs: 1e14, rootId })
    if (!task) throw new Error('nothing is due')
    return task
  }
  /** A request whose pages end like this, in order. */
  const ended = async (store: Store, projectId: string, ...outcomes: (Captured | Failed)[]) => {
    const rootId = await store.captures.accept(newRequest(projectId, { pages: outcomes.length }))
    for (const outcome of outcomes) await store.captures.finish(await begin(store, rootId), outcome, 5)
    return rootId
  }
  const seeing = (...marks: Mark[]): Captured => ({ ...PICTURE, seen: newSeen({ marks }) })

  describe(`${name}: data seen of a page`, () => {
    test('is shown with the job everywhere, to the character, with its view', async () => {
      const { store, browsing, projectId } = await open()
      const view = { width: 390, height: 844, fullPage: false }
      const rootId = await store.captures.accept(newRequest(projectId, { options: view }))
      const task = await begin(store, rootId)
      await store.captures.finish(task, { ...PICTURE, seen: ODD }, 5)
      const [first] = (await browsing.firstTexts(projectId, [rootId], { limit: 3 })).get(rootId) ?? []
      const [found] =
        (await browsing.firstTexts(projectId, [rootId], { limit: 3, q: 'PAGE' })).get(rootId) ?? []
      const job = await browsing.findJob(projectId, task.uuid)
      const [past] = await browsing.pageHistory(projectId, task.url, { limit: 3 })
      const [page] = await browsing.nextPages(projectId, { limit: 3 })
      for (const text of [first, found, job?.text, past?.text, page?.latest?.text]) {
        expect(JSON.parse(text?.seen ?? '')).toEqual(ODD)
      }
      for (const shown of [job, past, page?.latest]) expect(shown?.view).toEqual(view)
      const { seen: _, ownOptions: __, ...text } = first ?? { seen: '', ownOptions: undefined }
      expect((await store.textsOf(projectId, [rootId])).get(rootId)?.jobs).toEqual([text])
    })

    test('is shown with the page’s own options, which it was captured with', async () => {
      const { store, browsing, projectId } = await open()
      const options = { width: 1200, height: 720, fullPage: false, failOn: 'status' as const }
      const request = newRequest(projectId, { pages: 2, options })
      const [one, other] = request.pages as [RequestedPage, RequestedPage]
      const pages = [one, { ...other, ownOptions: { width: 390, fullPage: true } }]
      const rootId = await store.captures.accept({ ...request, pages })
      const expected = [options, { ...options, width: 390, fullPage: true }]
      for (const ofPage of expected) {
        const task = await begin(store, rootId)
        expect(task.options).toEqual(ofPage)
        await store.captures.finish(task, PICTURE, 5)
        const { failOn: _, ...view } = ofPage
        const job = await browsing.findJob(projectId, task.uuid)
        const [past] = await browsing.pageHistory(projectId, task.url, { limit: 1 })
        const [page] = await browsing.nextPages(projectId, { limit: 1, q: task.url })
        expect([job?.view, past?.view]).toEqual([view, view])
        expect(page?.latest?.view ?? view).toEqual(view)
      }
      const texts = (await browsing.firstTexts(projectId, [rootId], { limit: 3 })).get(rootId) ?? []
      expect(texts.map(({ ownOptions }) => ownOptions)).toEqual([undefined, { width: 390, fullPage: true }])
      expect(texts.map(({ seen }) => JSON.parse(seen))).toEqual([PICTURE.seen, PICTURE.seen])
    })

    test('is empty for imported pictures, whose view is unknown', async () => {
      const { store, browsing, projectId } = await open()
      const rootId = await addRows(store, projectId)
      const [past] = await browsing.pageHistory(projectId, 'https://example.com/', { limit: 3 })
      expect(past).toMatchObject({ rootId, text: { seen: '' } })
      expect(past?.view).toBeUndefined()
    })

    test('is kept for a failed page, too', async () => {
      const { store, browsing, projectId } = await open()
      const rootId = await ended(store, projectId, { reason: 'status', detail: 'It is gone.', seen: ODD })
      const progress = await store.captures.findProgress(projectId, rootId)
      expect(progress?.captures).toMatchObject([
        { seen: ODD, cut: false, failed: { reason: 'status', detail: 'It is gone.' } },
      ])
      expect((await browsing.requestsOf(projectId, [rootId])).get(rootId)?.marks).toEqual({
        ...{ error: 1, incomplete: 1 },
      })
    })

    test('is counted once, however often and by whomever an attempt is ended', async () => {
      const { store, browsing, projectId } = await open()
      const rootId = await store.captures.accept(newRequest(projectId, { pages: 2 }))
      const late = await begin(store, rootId)
      await store.captures.putBack(late, { now: 1e14, due: 0, counts: false, died: true })
      const last = await begin(store, rootId)
      for (const attempt of [late, last, last, late]) {
        await store.captures.finish(attempt, seeing('cut', 'wide'), 5)
      }
      await store.captures.finish(await begin(store, rootId), seeing('wide'), 5)
      expect((await browsing.requestsOf(projectId, [rootId])).get(rootId)?.marks).toEqual({ cut: 1, wide: 2 })
    })

    test('is counted for an adopted request, too, and for a page known only as cut', async () => {
      const { store, browsing, projectId } = await open()
      const rootId = await ended(store, projectId, seeing('restless'), seeing('cut'), PICTURE, FAILURE)
      const progress = await store.captures.findProgress(projectId, rootId)
      if (!progress) throw new Error('there is no request')
      const copy = await addRows(store, projectId)
      const captures = progress.captures.map((each) => (each.cut ? { ...each, seen: undefined } : each))
      await store.captures.adopt(projectId, copy, { ...progress, captures, idempotencyKey: undefined })
      expect((await browsing.requestsOf(projectId, [copy])).get(copy)?.marks).toEqual({ cut: 1, restless: 1 })
      expect((await store.captures.findProgress(projectId, copy))?.captures).toEqual(captures)
      // The job at the position of the first one is another.
      const texts = await browsing.firstTexts(projectId, [copy], { limit: 1 })
      expect(texts.get(copy)).toMatchObject([{ position: 0, seen: '' }])
    })

    test.each(MARK_NAMES)('roots are found by the mark %s of any of their pages', async (mark) => {
      const { store, browsing, projectId } = await open()
      const others = MARK_NAMES.filter((each) => each !== mark)
      const rootIds = [
        await ended(store, projectId, PICTURE, seeing(mark)),
        await ended(store, projectId, seeing(...others), PICTURE),
        await ended(store, projectId, seeing(...MARK_NAMES)),
        await ended(store, projectId, FAILURE),
        await addRows(store, projectId),
      ]
      const [one = '', , all = ''] = rootIds
      expect(await browsing.matching(projectId, rootIds, { mark })).toEqual(new Set([one, all]))
      expect(await browsing.matching(projectId, rootIds, { mark, q: 'page 1' })).toEqual(new Set([one]))
      expect(await browsing.matching(projectId, rootIds, { mark, tag: 'none' })).toEqual(new Set())
      expect(await browsing.matching(await makeProject(store), rootIds, { mark })).toEqual(new Set())
    })
  })

  describe(`${name}: failures`, () => {
    test('are the first of each root, in order, and nothing else', async () => {
      const { store, browsing, projectId } = await open()
      const odd: Failed = { reason: 'tls', detail: 'say "no" \\ 😀 \x1e\n' }
      const rootId = await ended(store, projectId, PICTURE, odd, PICTURE, FAILURE, FAILURE)
      const imported = await addRows(store, projectId)
      const queued = await store.captures.accept(newRequest(projectId))
      const rootIds = [rootId, imported, queued, randomUUID()]
      const first = await browsing.firstFailures(projectId, rootIds, { limit: 2 })
      expect(first.get(rootId)).toEqual([
        { position: 1, url: 'https://example.com/1', name: 'Page 1', ...odd },
        { position: 3, url: 'https://example.com/3', name: 'Page 3', ...FAILURE },
      ])
      expect(rootIds.slice(1).flatMap((each) => first.get(each) ?? [])).toEqual([])
      const other = await browsing.firstFailures(await makeProject(store), rootIds, { limit: 2 })
      expect([...other.values()].flat()).toEqual([])
      expect(await browsing.firstFailures(projectId, [], { limit: 2 })).toEqual(new Map())
    })

    test('are found by a text, even the last of very many', async () => {
      const { store, browsing, projectId } = await open()
      const outcomes = Array.from({ length: 112 }, (_, index) => (index === 1 ? PICTURE : FAILURE))
      const rootId = await ended(store, projectId, ...outcomes)
      const find = async (q: string, limit = 12) => {
        const first = await browsing.firstFailures(projectId, [rootId], { limit, q })
        return first.get(rootId)?.map(({ position }) => position)
      }
      expect(await find('PAGE 111')).toEqual([111])
      expect(await find('page 1')).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 100, 101])
      expect(await find('com/9', 3)).toEqual([9, 90, 91])
      expect(await find('nothing')).toEqual([])
    })
  })
}
