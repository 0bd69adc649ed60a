import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createClient, type HistoryOptions, type OverviewsOptions } from '../../src/client/client.ts'
import { DONE, FAILED, finishNext, newRequest, startAccepting } from '../support/http/requests.ts'
import { startService } from '../support/http/service.ts'
import { newSeen } from '../support/store/captures.ts'
import {
  addPictures,
  addRows,
  makeKey,
  makePng,
  makeProject,
  newJob,
  submittedJob,
} from '../support/store/results.ts'

describe('projects', () => {
  test('are listed completely, in list pages', async () => {
    const service = await startService()
    const ids: string[] = []
    for (let index = 0; index < 5; index++) ids.push(await makeProject(service.store))
    const client = createClient({ server: service.url })
    const pages = await Array.fromAsync(client.listProjects({ limit: 2 }))
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1])
    expect(
      pages
        .flat()
        .map(({ projectId }) => projectId)
        .sort(),
    ).toEqual(ids.sort())
    expect(await Array.fromAsync(client.listProjects())).toEqual([pages.flat()])
    for (const project of pages.flat()) {
      expect(await client.getProject(project.projectId)).toEqual({ ...project, pictures: 0 })
    }
    expect(pages[0]?.[0]).toEqual({
      ...{ projectId: expect.any(String), name: 'Test', meta: { created: 1_700_000_000_000 } },
    })
  })

  test('are limited to one with a key', async () => {
    const service = await startService({ AUTH: 'keys' })
    const [projectId, other] = [await makeProject(service.store), await makeProject(service.store)]
    const { secret: key } = await makeKey(service.store, projectId)
    const client = createClient({ server: service.url, key })
    const [projects] = await Array.fromAsync(client.listProjects({ limit: 1 }))
    expect(projects?.map((project) => project.projectId)).toEqual([projectId])
    await expect(client.getProject(other)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('overviews', () => {
  test('are listed completely, in list pages, and agree with the status', async () => {
    const service = await startAccepting()
    const { projectId } = service
    const client = createClient({ server: service.url })
    const request = { ...newRequest(2), screenshotParameter: { width: 800, height: 600, tags: ['nightly'] } }
    const { jobId } = await client.requestScreenshots(projectId, request)
    await finishNext(service.store, jobId)
    await finishNext(service.store, jobId, FAILED)
    for (let index = 0; index < 4; index++) await addRows(service.store, projectId, { jobs: 14 })
    const pages = await Array.fromAsync(client.listOverviews(projectId, { limit: 2 }))
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1])
    expect(await Array.fromAsync(client.listOverviews(projectId))).toEqual([pages.flat()])
    for (const overview of pages.flat()) {
      const { rootId, state, counts, tags } = overview
      expect(await client.getRootOverview(projectId, rootId)).toEqual(overview)
      expect(await client.getStatus(projectId, rootId)).toMatchObject({ state, counts, tags })
      const { jobs } = await client.getRoot(projectId, rootId)
      expect(overview.jobs).toMatchObject(jobs.slice(0, 12))
    }
    expect(pages.flat().filter(({ tags }) => tags.includes('nightly'))).toMatchObject([
      { rootId: jobId, state: 'partial', counts: { total: 2, done: 1, failed: 1 } },
    ])
  })

  test('are found by state, mark and date, in list pages, with what was seen and which pages failed', async () => {
    const service = await startAccepting()
    const { projectId } = service
    const client = createClient({ server: service.url })
    const rootIds: string[] = []
    for (const outcome of [
      FAILED,
      DONE,
      { ...DONE, seen: newSeen({ status: 404, marks: ['error'] }) },
      FAILED,
    ]) {
      service.now += 1_000
      rootIds.push((await client.requestScreenshots(projectId, newRequest())).jobId)
      await finishNext(service.store, rootIds.at(-1) ?? '', outcome)
    }
    const [, second = '', third = ''] = rootIds
    const find = async (options: OverviewsOptions) =>
      (await Array.fromAsync(client.listOverviews(projectId, { limit: 1, ...options })))
        .flat()
        .map(({ rootId }) => rootIds.indexOf(rootId))
    expect(await find({ state: 'failed' })).toEqual([3, 0])
    expect(await find({ state: ['failed', 'done'] })).toEqual([3, 2, 1, 0])
    expect(await find({ state: [] })).toEqual([3, 2, 1, 0])
    expect(await find({ mark: 'error' })).toEqual([2])
    expect(await find({ from: service.now - 2_000, to: service.now })).toEqual([2, 1])
    const view = { width: 1200, height: 720, fullPage: false }
    const overview = await client.getRootOverview(projectId, third)
    expect(overview).toMatchObject({ view, marks: { error: 1 }, jobs: [{ view, seen: { status: 404 } }] })
    const [failed] = (await client.getRootOverview(projectId, rootIds[0] ?? '')).failures
    expect(failed).toEqual({ position: 0, url: 'https://example.com/0', name: 'Page 0', ...FAILED })
    expect((await client.getStatus(projectId, second)).urls).toMatchObject([{ seen: newSeen() }])
  })

  test('and roots are found by the text of their pages and by a tag', async () => {
    const service = await startAccepting()
    const { projectId } = service
    const client = createClient({ server: service.url })
    const ask = async (name: string, ...tags: string[]) => {
      const { jobId } = await client.requestScreenshots(projectId, {
        screenshotParameter: { width: 800, height: 600, tags },
        urls: [{ url: `https://example.com/${name}`, name: `${name} & “more” 100%` }],
      })
      await finishNext(service.store, jobId)
      return jobId
    }
    const [first, second, third] = [
      await ask('Ägypten', 'x', 'y&z'),
      await ask('b'),
      await ask('ägypten', 'x'),
    ]
    const found = async (options: { q?: string; tag?: string }) => {
      const pages = await Array.fromAsync(client.listOverviews(projectId, { ...options, limit: 1 }))
      const roots = await Array.fromAsync(client.listRoots(projectId, { ...options, limit: 1 }))
      const ids = pages.flat().map(({ rootId }) => rootId)
      expect(roots.flat().map(({ rootId }) => rootId)).toEqual(ids)
      return ids.sort()
    }
    expect(await found({})).toEqual([first, second, third].sort())
    expect(await found({ q: '', tag: '' })).toEqual([first, second, third].sort())
    expect(await found({ q: ' & “MORE” 100%' })).toEqual([first, second, third].sort())
    expect(await found({ tag: 'y&z' })).toEqual([first])
    expect(await found({ q: 'com/b', tag: 'x' })).toEqual([])
    expect(await found({ q: 'com/b' })).toEqual([second])
    expect(await found({ tag: 'x' })).toEqual([first, third].sort())
  })
})

describe('jobs of a root', () => {
  test('are listed completely, in list pages', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    const rootId = await addRows(service.store, projectId, { jobs: 7 })
    const client = createClient({ server: service.url })
    const { jobs } = await client.getRoot(projectId, rootId)
    expect(await Array.fromAsync(client.listJobs(projectId, rootId))).toEqual([jobs])
    const pages = await Array.fromAsync(client.listJobs(projectId, rootId, { limit: 3 }))
    expect(pages.map((page) => page.length)).toEqual([3, 3, 1])
    expect(pages.flat()).toEqual(jobs)
    const empty = await addRows(service.store, projectId, { jobs: 0 })
    expect(await Array.fromAsync(client.listJobs(projectId, empty, { limit: 3 }))).toEqual([[]])
    await expect(client.listJobs(projectId, projectId).next()).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('pages and their history', () => {
  test('are listed completely, in list pages, and found by a text', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    const client = createClient({ server: service.url })
    const address = 'https://example.com/?a=1&b=%20#ü'
    for (const [created, url] of [
      [1_000, address],
      [2_000, 'https://example.com/prices'],
      [3_000, address],
      [4_000, address],
    ] as const) {
      const jobs = [newJob({ url, created, name: `Page of ${created}` })]
      const rootId = randomUUID()
      await service.store.addRoot({ projectId, rootId, created, digest: rootId, jobs }, async () => {})
    }
    const pages = await Array.fromAsync(client.listPages(projectId, { limit: 1 }))
    expect(pages.map((page) => page.length)).toEqual([1, 1])
    expect(await Array.fromAsync(client.listPages(projectId))).toEqual([pages.flat()])
    const home = pages.flat().find(({ url }) => url === address)
    expect(home).toMatchObject({ name: 'Page of 4000', pictures: 3, oldest: 1_000, newest: 4_000 })
    const found = await Array.fromAsync(client.listPages(projectId, { q: 'PRICES' }))
    expect(found.flat().map(({ url }) => url)).toEqual(['https://example.com/prices'])

    const history = await Array.fromAsync(client.listHistory(projectId, address, { limit: 2 }))
    expect(history.map((page) => page.map(({ meta }) => meta.created))).toEqual([[4_000, 3_000], [1_000]])
    expect(history[0]?.[0]).toEqual(home?.latest)
    expect(await Array.fromAsync(client.listHistory(projectId, address))).toEqual([history.flat()])
    await expect(client.listHistory(projectId, '').next()).rejects.toMatchObject({ code: 'bad_request' })
  })

  test('have a history of captures with the same options', async () => {
    const service = await startAccepting()
    const { projectId } = service
    const client = createClient({ server: service.url })
    for (const screenshotParameter of [
      { width: 1200, height: 720 },
      { width: 1200, height: 720, fullPage: true },
      { width: 390, height: 844 },
    ]) {
      const { jobId } = await client.requestScreenshots(projectId, { ...newRequest(), screenshotParameter })
      await finishNext(service.store, jobId)
    }
    const read = async (options: HistoryOptions) =>
      (await Array.fromAsync(client.listHistory(projectId, 'https://example.com/0', options)))
        .flat()
        .map(({ view }) => `${view?.width} ${view?.fullPage}`)
        .sort()
    expect(await read({})).toEqual(['1200 false', '1200 true', '390 false'])
    expect(await read({ fullPage: false, limit: 1 })).toEqual(['1200 false', '390 false'])
    expect(await read({ fullPage: true })).toEqual(['1200 true'])
    expect(await read({ fullPage: false, width: 390 })).toEqual(['390 false'])
  })
})

describe('pictures', () => {
  test('are fetched through the service, one by one or all in a ZIP', async () => {
    const service = await startService({ AUTH: 'keys' })
    const projectId = await makeProject(service.store)
    const { secret: key } = await makeKey(service.store, projectId)
    const [blue, red] = [await makePng(), await makePng(32, 32, '#cc3333')]
    const { rootId } = await addPictures(service, projectId, {
      jobs: [submittedJob(blue, { name: 'Blue' }), submittedJob(red, { name: 'Red' })],
    })
    const client = createClient({ server: service.url, key })
    const { jobs } = await client.getRoot(projectId, rootId)
    for (const [index, { uuid }] of jobs.entries()) {
      const picture = await client.fetchPicture(projectId, rootId, uuid)
      expect(picture.headers.get('content-type')).toBe('image/png')
      const direct = await fetch(jobs[index]?.data ?? '')
      expect(Buffer.from(await picture.arrayBuffer())).toEqual(Buffer.from(await direct.arrayBuffer()))
    }
    const archive = await client.fetchArchive(projectId, rootId)
    expect(archive.headers.get('content-type')).toBe('application/zip')
    const bytes = Buffer.from(await archive.arrayBuffer())
    expect(bytes.subarray(0, 4).toString('latin1')).toBe('PK\u0003\u0004')
    await expect(client.fetchPicture(projectId, rootId, rootId)).rejects.toMatchObject({ code: 'not_found' })
    await expect(client.fetchArchive(projectId, projectId)).rejects.toMatchObject({ code: 'not_found' })
    // Plain links do not work if keys are required.
    expect((await fetch(client.archiveAddress(projectId, rootId))).status).toBe(401)
  })
})
