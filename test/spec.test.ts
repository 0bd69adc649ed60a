import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import type { JobResult, RootResult } from '../src/contract/results.ts'
import { startService } from './support/http/service.ts'
import {
  addPictures,
  addRows,
  makePng,
  makeProject,
  rootsUrl,
  submittedJob,
} from './support/store/results.ts'

// Endpoints and rules are those of docs/spec.md.

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

async function serviceWithTwoRoots() {
  const service = await startService()
  const projectId = await makeProject(service.store)
  const older = await addPictures(service, projectId, {
    created: 1_605_813_006_223,
    jobs: [
      submittedJob(await makePng(120, 80), {
        url: 'https://example.com/a',
        name: 'First',
        loadingTime: 2000,
      }),
      submittedJob(await makePng(60, 200), {
        url: 'https://example.com/b',
        name: 'Zweite “Seite”\n',
        created: 1_605_813_009_000,
      }),
    ],
  })
  const newer = await addPictures(service, projectId, {
    created: 1_605_813_007_000,
    jobs: [submittedJob(await makePng(), { basepath: '/exports/march' })],
  })
  return { service, projectId, older: older.rootId, newer: newer.rootId }
}

describe('endpoint 1, one root', () => {
  test('rule 1: the response is a single JSON object, not an array', async () => {
    const { service, projectId, older } = await serviceWithTwoRoots()
    const response = await service.get(`${rootsUrl(projectId)}/${older}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const body = (await response.json()) as RootResult
    expect(Array.isArray(body)).toBe(false)
    expect(Object.keys(body)).toEqual(['rootId', 'meta', 'jobs'])
  })

  test('rule 2: rootId equals the jobId of the path, and every job carries it', async () => {
    const { service, projectId, older } = await serviceWithTwoRoots()
    const body = (await (await service.get(`${rootsUrl(projectId)}/${older}`)).json()) as RootResult
    expect(body.rootId).toBe(older)
    expect(body.jobs.map((job) => job.rootId)).toEqual([older, older])
  })

  test('rule 3: every job carries the projectId of the path', async () => {
    const { service, projectId, older } = await serviceWithTwoRoots()
    const body = (await (await service.get(`${rootsUrl(projectId)}/${older}`)).json()) as RootResult
    expect(body.jobs.map((job) => job.projectId)).toEqual([projectId, projectId])
  })
})

describe('endpoint 2, all roots', () => {
  test('rule 1: the response body is a top-level JSON array', async () => {
    const { service, projectId } = await serviceWithTwoRoots()
    const response = await service.get(rootsUrl(projectId))
    expect(response.status).toBe(200)
    expect(Array.isArray(await response.json())).toBe(true)
  })

  test('rule 2: each element equals the root of the other endpoint', async () => {
    const { service, projectId, older, newer } = await serviceWithTwoRoots()
    const list = (await (await service.get(rootsUrl(projectId))).json()) as RootResult[]
    const single = async (rootId: string) => (await service.get(`${rootsUrl(projectId)}/${rootId}`)).json()
    expect(list).toEqual([await single(newer), await single(older)])
  })

  test('a project without roots gives an empty array', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    expect(await (await service.get(rootsUrl(projectId))).text()).toBe('[]')
  })

  test('a root without finished jobs is listed with an empty array', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    const rootIds = [
      await addRows(service.store, projectId, { jobs: 0, created: 2 }),
      await addRows(service.store, projectId, { jobs: 0, created: 1 }),
    ]
    const expected = rootIds.map((rootId, index) => ({ rootId, meta: { created: 2 - index }, jobs: [] }))
    expect(await (await service.get(rootsUrl(projectId))).json()).toEqual(expected)
    expect(await (await service.get(`${rootsUrl(projectId)}/${rootIds[0]}`)).json()).toEqual(expected[0])
  })
})

describe('the fields of a job', () => {
  test('are exactly those of docs/spec.md, in its order and with its types', async () => {
    const { service, projectId, older } = await serviceWithTwoRoots()
    const text = await (await service.get(`${rootsUrl(projectId)}/${older}`)).text()
    const [, job] = (JSON.parse(text) as RootResult).jobs as [JobResult, JobResult]
    expect(Object.keys(job)).toEqual([
      'data',
      'rootId',
      'projectId',
      'uuid',
      'url',
      'meta',
      'screenshotParameter',
      'preview',
    ])
    expect(Object.keys(job.url)).toEqual(['url', 'name', 'loadingTime'])
    expect(Object.keys(job.meta)).toEqual(['created'])
    expect(Object.keys(job.screenshotParameter)).toEqual(['height', 'width', 'basepath', 'name'])
    expect(job).toEqual({
      data: expect.stringContaining(`/images/${projectId}/${job.uuid}.png?`),
      rootId: older,
      projectId,
      uuid: expect.stringMatching(UUID),
      url: { url: 'https://example.com/b', name: 'Zweite “Seite”\n', loadingTime: 15_000 },
      meta: { created: 1_605_813_009_000 },
      screenshotParameter: { height: 200, width: 60, basepath: '/tmp', name: job.uuid },
      preview: expect.stringContaining(`/images/${projectId}/${job.uuid}-preview.png?`),
    })
    expect(text).toBe(JSON.stringify(JSON.parse(text)))
  })

  test('screenshotParameter.name equals uuid; jobs are in the order of the request', async () => {
    const { service, projectId, older } = await serviceWithTwoRoots()
    const { jobs } = (await (await service.get(`${rootsUrl(projectId)}/${older}`)).json()) as RootResult
    expect(jobs.map((job) => job.url.name)).toEqual(['First', 'Zweite “Seite”\n'])
    for (const job of jobs) expect(job.screenshotParameter.name).toBe(job.uuid)
  })

  test('both picture URLs answer 200 with a picture of the stated size', async () => {
    const { service, projectId } = await serviceWithTwoRoots()
    const roots = (await (await service.get(rootsUrl(projectId))).json()) as RootResult[]
    const jobs = roots.flatMap((root) => root.jobs)
    expect(jobs).toHaveLength(3)
    for (const job of jobs) {
      const picture = await fetch(job.data)
      expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
      const { width, height } = await sharp(await picture.arrayBuffer()).metadata()
      expect({ width, height }).toEqual({
        width: job.screenshotParameter.width,
        height: job.screenshotParameter.height,
      })
      const preview = await fetch(job.preview)
      expect([preview.status, preview.headers.get('content-type')]).toEqual([200, 'image/png'])
      expect((await sharp(await preview.arrayBuffer()).metadata()).format).toBe('png')
    }
  })
})

describe('an id', () => {
  test('is accepted in upper case, and is always answered in lower case', async () => {
    const { service, projectId, older } = await serviceWithTwoRoots()
    const lower = await service.get(`${rootsUrl(projectId)}/${older}`)
    const upper = await service.get(`${rootsUrl(projectId.toUpperCase())}/${older.toUpperCase()}`)
    expect(upper.status).toBe(200)
    expect(await upper.text()).toBe(await lower.text())
  })
})
