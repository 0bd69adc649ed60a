import { randomUUID } from 'node:crypto'
import { mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import type { ImageKey } from '../../src/images/images.ts'
import { openStorage, type Storage } from '../../src/service/storage.ts'
import { sweepOrphans } from '../../src/upkeep/orphans.ts'
import { openSweeps } from '../../src/upkeep/sweeps.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { KEYS } from '../support/servers/keys.ts'
import { usePostgres, useS3 } from '../support/servers/use-servers.ts'
import { bothWorlds } from '../support/servers/worlds.ts'
import { newRequest } from '../support/store/captures.ts'
import { pictureKey, previewKey } from '../support/store/image-keys.ts'
import { pngOf } from '../support/store/png-of.ts'
import { addPictures, makePng, makeProject, newJob, submittedJob } from '../support/store/results.ts'

const postgres = usePostgres()
const s3 = useS3()
const DAY_MS = 86_400_000

async function open(world: Record<string, string> = {}) {
  const dataDir = join(await makeFolder(), 'data')
  const storage = await openStorage(readConfig({ DATA_DIR: dataDir, ...world }))
  onTestFinished(storage.close)
  return { ...storage, dataDir, projectId: await makeProject(storage.store) }
}

/** A day from now everything is old. */
const sweep = (place: Storage, { now = Date.now() + 1.1 * DAY_MS } = {}) =>
  sweepOrphans(place, { now, pauseMs: 0, signal: new AbortController().signal })

async function put({ images }: Storage, ...keys: ImageKey[]): Promise<void> {
  const batch = await images.startBatch()
  for (const key of keys) await batch.add(key, pngOf('picture'))
  await batch.publish()
  await batch.discard()
}

const pair = (projectId: string, uuid: string = randomUUID()): [ImageKey, ImageKey] => [
  pictureKey(projectId, uuid),
  previewKey(projectId, uuid),
]

async function keysOf(place: Storage, projectId: string, rootId: string): Promise<ImageKey[]> {
  return (await place.store.jobsOf(projectId, [rootId])).flatMap(({ uuid }) => pair(projectId, uuid))
}

const conditions = ({ images }: Storage, keys: readonly ImageKey[]) =>
  Promise.all(keys.map((key) => images.condition(key)))

/** The last file known to a database must be newer than the orphans; S3 counts in seconds. */
async function addResult(place: Storage, projectId: string) {
  await sleep((await place.images.room()) ? 5 : 1_005)
  const jobs = [submittedJob(await makePng(20, 10), { basepath: `/${randomUUID()}` })]
  return await addPictures(place, projectId, { jobs })
}

describe.each(bothWorlds(postgres, s3))('a sweep of %s', (_name, newWorld) => {
  test('removes files that no row refers to, and nothing else', async () => {
    const place = await open(await newWorld())
    const { projectId } = place
    const older = await addResult(place, projectId)
    const orphans = [...pair(projectId), ...pair(projectId)]
    await put(place, ...orphans)
    const stranger = pair(randomUUID())
    await put(place, ...stranger)
    const newer = await addResult(place, projectId)
    const ours = [
      ...(await keysOf(place, projectId, older.rootId)),
      ...(await keysOf(place, projectId, newer.rootId)),
    ]
    // Younger than a day.
    expect(await sweep(place, { now: Date.now() })).toEqual({
      looked: 8,
      orphans: 0,
      removed: 0,
      shared: false,
    })
    expect(await sweep(place)).toEqual({ looked: 8, orphans: 4, removed: 4, shared: false })
    expect(new Set(await conditions(place, orphans))).toEqual(new Set(['missing']))
    expect(new Set(await conditions(place, [...ours, ...stranger]))).toEqual(new Set(['whole']))
    expect(await sweep(place)).toEqual({ looked: 4, orphans: 0, removed: 0, shared: false })
  })

  test('leaves files alone that are being imported or captured', async () => {
    const place = await open(await newWorld())
    const { projectId, store } = place
    await store.captures.accept(newRequest(projectId, { created: 1 }))
    const takeNext = () => store.captures.takeNext({ now: 2, leaseMs: 60_000 })
    const first = await takeNext()
    if (!first) throw new Error('nothing is due')
    const captured = pair(projectId, first.uuid)
    await put(place, ...captured)
    const job = newJob()
    const imported = pair(projectId, job.uuid)
    const root = { projectId, rootId: randomUUID(), created: 1, digest: 'd', jobs: [job] }
    await store.addRoot(root, async () => {
      await put(place, ...imported)
      await addResult(place, projectId)
      expect((await sweep(place)).removed).toBe(0)
    })
    expect((await sweep(place)).removed).toBe(0)
    // The next attempt has another id: the pictures of this one will never be shown.
    await store.captures.putBack(first, { now: 2, due: 2, counts: false })
    expect((await takeNext())?.uuid).not.toBe(first.uuid)
    expect((await sweep(place)).removed).toBe(2)
    expect(await conditions(place, [...captured, ...imported])).toEqual([
      'missing',
      'missing',
      'whole',
      'whole',
    ])
  })

  test('keeps files newer than its newest picture: the database may be an old copy', async () => {
    const place = await open(await newWorld())
    await addResult(place, place.projectId)
    await sleep(5)
    const newer = pair(place.projectId)
    await put(place, ...newer)
    const empty = await makeProject(place.store)
    const first = pair(empty)
    await put(place, ...first)
    expect(await sweep(place)).toMatchObject({ orphans: 0, removed: 0, shared: false })
    expect(new Set(await conditions(place, [...newer, ...first]))).toEqual(new Set(['whole']))
  })
})

test('only counts if a second database refers to the pictures', async () => {
  const place = await open()
  const orphans = pair(place.projectId)
  await put(place, ...orphans)
  await addResult(place, place.projectId)
  await place.images.setShared()
  expect(await sweep(place)).toMatchObject({ orphans: 2, removed: 0, shared: true })
})

test.each([
  ['SQLite', async () => ({})],
  ['PostgreSQL', async () => ({ DATABASE_URL: await postgres.newDatabase(), ...KEYS })],
] as const)('has the same result beside another sweep, with %s', async (_name, newWorld) => {
  const place = await open(await newWorld())
  const { projectId } = place
  const orphans = Array.from({ length: 30 }, () => pair(projectId)).flat()
  await put(place, ...orphans)
  const { rootId } = await addResult(place, projectId)
  await Promise.all([sweep(place), sweep(place)])
  await sweep(place)
  expect(new Set(await conditions(place, orphans))).toEqual(new Set(['missing']))
  expect(new Set(await conditions(place, await keysOf(place, projectId, rootId)))).toEqual(new Set(['whole']))
})

test('keeps the pictures of an orphan whose root is imported meanwhile', async () => {
  const place = await open()
  const { projectId, store } = place
  const jobs = [submittedJob(await makePng(30, 20), { uuid: randomUUID() })]
  const orphans = pair(projectId, jobs[0]?.uuid)
  await put(place, ...orphans)
  await addResult(place, projectId)
  // Runs between listing the files and removing them.
  const whileFree: typeof store.whileFree = async (...args) => {
    await addPictures(place, projectId, { jobs })
    return await store.whileFree(...args)
  }
  const result = await sweep({ ...place, store: { ...store, whileFree } })
  expect(result).toMatchObject({ orphans: 2, removed: 0 })
  expect(await conditions(place, orphans)).toEqual(['whole', 'whole'])
})

test('keeps files with other names, links and folders in the folder of a project', async () => {
  const place = await open()
  const folder = join(place.dataDir, 'images', place.projectId)
  await addResult(place, place.projectId)
  const names = [
    'note.txt',
    `${randomUUID()}.jpg`,
    `${randomUUID()}.png.bak`,
    `${randomUUID().toUpperCase()}.png`,
  ]
  for (const name of names) await writeFile(join(folder, name), 'x')
  await mkdir(join(folder, `${randomUUID()}.png`))
  await symlink('/etc/hostname', join(folder, `${randomUUID()}.png`))
  for (const name of names) await utimes(join(folder, name), 1, 1)
  const before = await readdir(folder)
  expect(await sweep(place)).toEqual({ looked: 2, orphans: 0, removed: 0, shared: false })
  expect(await readdir(folder)).toEqual(before)
})

test('is run by the service itself, with a log line and metrics', async () => {
  const place = await open()
  const { projectId, dataDir } = place
  const orphans = pair(projectId)
  await put(place, ...orphans)
  for (const key of orphans) await utimes(join(dataDir, 'images', key), 1, 1)
  await addResult(place, projectId)
  const staging = join(dataDir, 'images', '.staging', 'left')
  await mkdir(staging)
  await utimes(staging, 1, 1)
  const lines: object[] = []
  const log = { info: (line: object) => lines.push(line), warn: (line: object) => lines.push(line) }
  const sweeps = openSweeps(place, {
    log: log as never,
    kept: { keepMs: 1e12, mostDeliveries: 100 },
    everyMs: 10,
  })
  onTestFinished(() => sweeps.close())
  while (sweeps.removed.orphans < 2 || sweeps.removed.staging < 1) await sleep(10)
  await sweeps.close()
  expect(lines).toMatchObject([{ looked: 4, orphans: 2, removed: 2 }])
  expect(await readdir(join(dataDir, 'images', '.staging'))).toEqual([])
})
