import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import type { ImageKey, Images } from '../../src/images/images.ts'
import { openStorage } from '../../src/service/storage.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { usePostgres, useS3 } from '../support/servers/use-servers.ts'
import { bothWorlds } from '../support/servers/worlds.ts'
import { pictureKey, previewKey } from '../support/store/image-keys.ts'
import { addPictures, makePng, makeProject, submittedJob } from '../support/store/results.ts'

const postgres = usePostgres()
const s3 = useS3()
afterEach(() => {
  s3.interfere = undefined
})

async function put(images: Images, key: ImageKey, bytes: Buffer): Promise<void> {
  const batch = await images.startBatch()
  await batch.add(key, bytes)
  await batch.publish()
  await batch.discard()
}

async function hashOf(images: Images, key: ImageKey): Promise<string | undefined> {
  const image = await images.open(key)
  if (!image) return undefined
  const bytes = await buffer(image.stream({ start: 0, end: image.size - 1 }))
  return `${createHash('sha256').update(bytes).digest('hex')} ${image.modified.getTime()}`
}

describe.each(bothWorlds(postgres, s3))('importing the same root again (%s)', (_name, newWorld) => {
  async function start() {
    const world = await newWorld()
    const storage = await openStorage(readConfig({ DATA_DIR: join(await makeFolder(), 'data'), ...world }))
    onTestFinished(storage.close)
    const projectId = await makeProject(storage.store)
    const jobs = await Promise.all([1, 2, 3].map(async (each) => submittedJob(await makePng(60 * each, 40))))
    const add = () => addPictures(storage, projectId, { jobs })
    const { rootId } = await add()
    const uuids = (await storage.store.jobsOf(projectId, [rootId])).map(({ uuid }) => uuid)
    const keys = uuids.flatMap((uuid) => [pictureKey(projectId, uuid), previewKey(projectId, uuid)])
    const hashes = () => Promise.all(keys.map((key) => hashOf(storage.images, key)))
    return { ...storage, projectId, rootId, keys, add, hashes }
  }

  test('restores missing and damaged files, and touches nothing else', async () => {
    const { store, images, projectId, rootId, keys, add, hashes } = await start()
    const [picture, , , preview] = keys as [ImageKey, ImageKey, ImageKey, ImageKey]
    const before = await hashes()
    expect(await add()).toEqual({ rootId, outcome: 'present' })
    expect(await hashes()).toEqual(before)
    const revision = (await store.findRoot(projectId, rootId))?.revision

    await images.remove([picture])
    await put(images, preview, Buffer.alloc(0))
    expect(await images.condition(picture)).toBe('missing')
    expect(await images.condition(preview)).toBe('damaged')
    expect(await add()).toEqual({ rootId, outcome: 'mended' })
    const [gone, ours] = [[0, 3], await hashes()]
    for (const [index, hash] of ours.entries()) {
      const [bytes, time] = (hash ?? '').split(' ')
      expect([index, bytes]).toEqual([index, before[index]?.split(' ')[0]])
      if (!gone.includes(index)) expect([index, time]).toEqual([index, before[index]?.split(' ')[1]])
    }
    expect((await store.findRoot(projectId, rootId))?.revision).toBe(revision)
    expect(await add()).toEqual({ rootId, outcome: 'present' })
  })
})

test('stops if the bucket does not say whether a file is missing, and says why', async () => {
  const storage = await openStorage(
    readConfig({ DATA_DIR: join(await makeFolder(), 'data'), IMAGES_URL: s3.newPlace() }),
  )
  onTestFinished(storage.close)
  const projectId = await makeProject(storage.store)
  const png = await makePng()
  const add = () => addPictures(storage, projectId, { jobs: [submittedJob(png)] })
  await add()
  s3.interfere = (request, response) => {
    if (request.method !== 'HEAD') return false
    response.writeHead(403).end()
    return true
  }
  await expect(add()).rejects.toMatchObject({
    code: 'storage_failed',
    message: expect.stringContaining('s3:ListBucket'),
  })
})
