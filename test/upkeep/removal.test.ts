import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { paths, pathTo, rootPath } from '../../src/contract/paths.ts'
import type { ImageKey } from '../../src/images/images.ts'
import { openStorage, type Storage } from '../../src/service/storage.ts'
import type { CaptureTask } from '../../src/store/captures.ts'
import { sweepOrphans } from '../../src/upkeep/orphans.ts'
import { removeProject, removeRoot } from '../../src/upkeep/remove.ts'
import { finishRemovals } from '../../src/upkeep/sweeps.ts'
import { startService } from '../support/http/service.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { usePostgres, useS3 } from '../support/servers/use-servers.ts'
import { bothWorlds } from '../support/servers/worlds.ts'
import { newRequest, PICTURE } from '../support/store/captures.ts'
import { pictureKey, previewKey } from '../support/store/image-keys.ts'
import { pngOf } from '../support/store/png-of.ts'
import { addPictures, makePng, makeProject, rootsUrl, submittedJob } from '../support/store/results.ts'

const postgres = usePostgres()
const s3 = useS3()
const DAY_MS = 86_400_000
const signal = new AbortController().signal

async function open(world: Record<string, string> = {}) {
  const dataDir = join(await makeFolder(), 'data')
  const storage = await openStorage(readConfig({ DATA_DIR: dataDir, ...world }))
  onTestFinished(storage.close)
  return { ...storage, projectId: await makeProject(storage.store) }
}

const pair = (projectId: string, uuid: string): [ImageKey, ImageKey] => [
  pictureKey(projectId, uuid),
  previewKey(projectId, uuid),
]

/** A root with its pictures, each different. */
async function addResult(storage: Storage, projectId: string, jobs = 2) {
  const png = await makePng(20, 10)
  const submitted = Array.from({ length: jobs }, () => submittedJob(png, { uuid: randomUUID() }))
  const { rootId } = await addPictures(storage, projectId, { jobs: submitted })
  const keys = submitted.flatMap(({ uuid = '' }) => pair(projectId, uuid))
  return { rootId, submitted, keys }
}

const conditions = async ({ images }: Storage, keys: readonly ImageKey[]) => [
  ...new Set(await Promise.all(keys.map((key) => images.condition(key)))),
]

/** The last file known to a database must be newer than the orphans; S3 counts in seconds. */
const untilNewer = async ({ images }: Storage) => await sleep((await images.room()) ? 5 : 1_005)

describe.each(bothWorlds(postgres, s3))('removing from %s', (_name, newWorld) => {
  test('a root and a project are removed with their pictures, and nothing else is', async () => {
    const storage = await open(await newWorld())
    const { projectId } = storage
    const [kept, gone] = [await addResult(storage, projectId), await addResult(storage, projectId)]
    for (const _ of ['present', 'gone']) await removeRoot(storage, projectId, gone.rootId, Date.now())
    expect(await storage.store.findRoot(projectId, gone.rootId)).toBeUndefined()
    expect(await conditions(storage, gone.keys)).toEqual(['missing'])
    expect(await conditions(storage, kept.keys)).toEqual(['whole'])
    const other = await makeProject(storage.store)
    const others = await addResult(storage, other)
    for (const _ of ['present', 'gone']) await removeProject(storage, projectId, Date.now())
    expect(await storage.store.findProject(projectId)).toBeUndefined()
    expect(await conditions(storage, kept.keys)).toEqual(['missing'])
    expect(await conditions(storage, others.keys)).toEqual(['whole'])
  })

  test('a power cut between rows and pictures leaves orphans, which a sweep removes', async () => {
    const storage = await open(await newWorld())
    const { projectId, store } = storage
    const older = await addResult(storage, projectId)
    // This also holds if nothing that remains is newer.
    const newer = await addResult(storage, projectId)
    await untilNewer(storage)
    await store.removals.removeRoot(projectId, newer.rootId, Date.now()).next()
    expect(await store.findRoot(projectId, newer.rootId)).toBeUndefined()
    expect(await conditions(storage, newer.keys)).toEqual(['whole'])
    const swept = await sweepOrphans(storage, { now: Date.now() + 1.1 * DAY_MS, pauseMs: 0, signal })
    expect(swept).toMatchObject({ orphans: 4, removed: 4 })
    expect(await conditions(storage, newer.keys)).toEqual(['missing'])
    expect(await conditions(storage, older.keys)).toEqual(['whole'])
  })

  test('an interrupted removal of a project is completed, with pictures that arrived late; then its id is free', async () => {
    const storage = await open(await newWorld())
    const { projectId, store, images } = storage
    const { keys } = await addResult(storage, projectId)
    await store.captures.accept(newRequest(projectId, { created: 1 }))
    const task = (await store.captures.takeNext({ now: 2, leaseMs: 1_000 })) as CaptureTask
    await store.removals.removeProject(projectId, Date.now()).next()
    await finishRemovals(storage, { now: Date.now(), signal })
    expect(await conditions(storage, keys)).toEqual(['missing'])
    const late = pair(projectId, task.uuid)
    const batch = await images.startBatch()
    for (const key of late) await batch.add(key, pngOf('late'))
    await batch.publish()
    expect(await store.captures.finish(task, PICTURE, 3)).toBe(false)
    await expect(makeProject(store, projectId)).rejects.toMatchObject({ code: 'conflict' })
    await finishRemovals(storage, { now: Date.now() + 1.1 * DAY_MS, signal })
    expect(await conditions(storage, late)).toEqual(['missing'])
    await makeProject(store, projectId)
  })
})

test('a root that is imported again before its pictures were removed keeps them', async () => {
  const storage = await open()
  const { projectId, store } = storage
  const { rootId, submitted, keys } = await addResult(storage, projectId)
  const whileFree: typeof store.whileFree = async (...args) => {
    await addPictures(storage, projectId, { rootId, jobs: submitted })
    return await store.whileFree(...args)
  }
  await removeRoot({ ...storage, store: { ...store, whileFree } }, projectId, rootId, Date.now())
  expect(await store.findRoot(projectId, rootId)).toBeDefined()
  expect(await conditions(storage, keys)).toEqual(['whole'])
})

test('pictures that a second database refers to stay', async () => {
  const storage = await open()
  const { rootId, keys } = await addResult(storage, storage.projectId)
  await storage.images.setShared()
  await removeRoot(storage, storage.projectId, rootId, Date.now())
  expect(await storage.store.findRoot(storage.projectId, rootId)).toBeUndefined()
  expect(await conditions(storage, keys)).toEqual(['whole'])
})

test('a removed root is 404 even if its answers were cached, and lists have another ETag', async () => {
  const service = await startService()
  const projectId = await makeProject(service.store)
  const { rootId } = await addResult(service, projectId)
  const other = await addResult(service, projectId)
  const status = pathTo(paths.getStatus, projectId, rootId)
  const shown = [rootPath(projectId, rootId), status, rootsUrl(projectId)]
  const before = await Promise.all(shown.map((path) => service.get(path)))
  expect(before.map(({ status }) => status)).toEqual([200, 200, 200])
  await removeRoot(service, projectId, rootId, Date.now())
  for (const headers of [{}, { 'if-none-match': before[0]?.headers.get('etag') ?? '' }])
    expect((await service.get(shown[0] ?? '', headers)).status).toBe(404)
  expect((await service.get(shown[1] ?? '')).status).toBe(404)
  const list = await service.get(shown[2] ?? '', { 'if-none-match': before[2]?.headers.get('etag') ?? '' })
  expect(await list.json()).toMatchObject([{ rootId: other.rootId }])
  await removeProject(service, projectId, Date.now())
  expect((await service.get(shown[2] ?? '')).status).toBe(404)
  expect((await service.get(rootPath(projectId, other.rootId))).status).toBe(404)
})
