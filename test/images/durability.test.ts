import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openDiskImages } from '../../src/images/disk/disk.ts'
import { parseSigningKeys } from '../../src/images/disk/signing-keys.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { pictureKey } from '../support/store/image-keys.ts'

/** What reaches the disk, in order; a power cut cannot be staged here, but the order that survives one can be seen. */
const seen: string[] = []
let failSync: ((path: string) => boolean) | undefined
let beforeRename: ((path: string) => Promise<void>) | undefined

const actual = { ...fs.promises }

beforeAll(() => {
  fs.promises.open = async (...args: Parameters<typeof actual.open>): Promise<FileHandle> => {
    const file = await actual.open(...args)
    const sync = file.sync.bind(file)
    file.sync = async () => {
      seen.push(`sync ${args[0]}`)
      if (failSync?.(String(args[0])))
        throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' })
      await sync()
    }
    return file
  }
  fs.promises.rename = async (...args: Parameters<typeof actual.rename>): Promise<void> => {
    await beforeRename?.(String(args[1]))
    await actual.rename(...args)
    seen.push(`rename to ${args[1]}`)
  }
  // For modules that import them by name.
  syncBuiltinESMExports()
})

afterAll(() => {
  Object.assign(fs.promises, actual)
  syncBuiltinESMExports()
})

beforeEach(() => {
  seen.length = 0
  failSync = undefined
  beforeRename = undefined
})

const signer = {
  keys: parseSigningKeys(`k1:${Buffer.alloc(32, 7).toString('base64')}`),
  windowMs: 43_200_000,
}

async function openImages() {
  const folder = await makeFolder()
  const images = await openDiskImages(join(folder, 'deep', 'images'), signer)
  const said = () =>
    seen.splice(0).map((line) => line.replace(/\/\S+/, (path) => relative(folder, path) || '.'))
  return { images, said }
}

test('folders are durable before they are used', async () => {
  const { said } = await openImages()
  expect(said()).toEqual(['sync deep/images', 'sync deep', 'sync .'])
})

test('a picture is synced and renamed, and its folder synced, in this order, before publish resolves', async () => {
  const { images, said } = await openImages()
  const [projectId, uuid] = [randomUUID(), randomUUID()]
  const key = pictureKey(projectId, uuid)
  said()
  for (const first of [true, false]) {
    const batch = await images.startBatch()
    await batch.add(key, Buffer.from('picture'))
    expect(said()).toEqual([expect.stringMatching(/^sync deep\/images\/\.staging\/[\w-]+\/[\w-]+\.png$/)])
    await batch.publish()
    expect(said()).toEqual([
      ...(first ? ['sync deep/images'] : []),
      `rename to deep/images/${key}`,
      `sync deep/images/${projectId}`,
    ])
  }
})

test('a failed sync is `storage_failed`, is not repeated, and nothing is published', async () => {
  const { images, said } = await openImages()
  const key = pictureKey(randomUUID(), randomUUID())
  said()
  failSync = (path) => path.includes('.staging')
  const batch = await images.startBatch()
  await expect(batch.add(key, Buffer.from('picture'))).rejects.toMatchObject({ code: 'storage_failed' })
  expect(said()).toHaveLength(1)
  failSync = undefined
  await batch.discard()
  expect(await images.open(key)).toBeUndefined()
})

test('a failed publish does not touch the keys again: another import may own them', async () => {
  const { images, said } = await openImages()
  const projectId = randomUUID()
  const [broken, slow] = [pictureKey(projectId, randomUUID()), pictureKey(projectId, randomUUID())]
  const batch = await images.startBatch()
  for (const key of [broken, slow]) await batch.add(key, Buffer.from('picture'))
  beforeRename = async (path) => {
    if (path.endsWith(broken)) throw Object.assign(new Error('EIO: i/o error, rename'), { code: 'EIO' })
    await sleep(100)
  }
  said()
  await expect(batch.publish()).rejects.toMatchObject({ code: 'storage_failed' })
  const before = said()
  await sleep(200)
  expect([before, said()]).toEqual([[expect.any(String), `rename to deep/images/${slow}`], []])
  await batch.discard()
})
