import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openDiskImages } from '../../src/images/disk/disk.ts'
import { parseSigningKeys } from '../../src/images/disk/signing-keys.ts'
import { pictureKey } from '../../src/images/images.ts'
import { makeFolder } from '../support/workspace.ts'
import { imagesSuite } from './images-suite.ts'

const signer = {
  keys: parseSigningKeys(`k1:${Buffer.alloc(32, 7).toString('base64')}`),
  windowMs: 12 * 3_600_000,
}
const driver = {
  newPlace: async () => join(await makeFolder(), 'images'),
  open: (path: string) => openDiskImages(path, signer),
}

imagesSuite('Disk', driver)

describe('Disk', () => {
  test('keeps files and folders to their owner', async () => {
    const path = await driver.newPlace()
    const images = await driver.open(path)
    const key = pictureKey(randomUUID(), randomUUID())
    const batch = await images.startBatch()
    await batch.add(key, Buffer.from('picture'))
    await batch.publish()
    await batch.discard()
    expect((await stat(join(path, key))).mode & 0o777).toBe(0o600)
    expect((await stat(join(path, key, '..'))).mode & 0o777).toBe(0o700)
    expect(await readdir(join(path, '.staging'))).toEqual([])
  })

  test('sweeps what a killed import left a day ago, and nothing younger', async () => {
    const path = await driver.newPlace()
    const [old, young] = ['old', 'young'].map((name) => join(path, '.staging', name)) as [string, string]
    for (const folder of [old, young]) {
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, 'x.png'), 'x')
    }
    const yesterday = new Date(Date.now() - 25 * 3_600_000)
    await utimes(old, yesterday, yesterday)
    await driver.open(path)
    expect(await readdir(join(path, '.staging'))).toEqual(['young'])
  })

  test('a project folder that is a link is refused: what lies behind it would never be served', async () => {
    const path = await driver.newPlace()
    const images = await driver.open(path)
    const projectId = randomUUID()
    await mkdir(`${path}-elsewhere`)
    await symlink(`${path}-elsewhere`, join(path, projectId))
    const batch = await images.startBatch()
    await batch.add(pictureKey(projectId, randomUUID()), Buffer.from('picture'))
    await expect(batch.publish()).rejects.toMatchObject({ code: 'storage_failed' })
    await batch.discard()
  })

  test('a folder that went away is storage_failed, not a crash', async () => {
    const path = await driver.newPlace()
    const images = await driver.open(path)
    await rm(path, { recursive: true })
    await expect(images.startBatch()).rejects.toMatchObject({ code: 'storage_failed' })
    await expect(images.check()).rejects.toMatchObject({ code: 'storage_failed' })
  })
})
