import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { openDiskImages } from '../../src/images/disk/disk.ts'
import { parseSigningKeys } from '../../src/images/disk/signing-keys.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { pictureKey } from '../support/store/image-keys.ts'
import { pngOf } from '../support/store/png-of.ts'
import { makePng } from '../support/store/results.ts'
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
  test('makes files and folders accessible to their owner only', async () => {
    const path = await driver.newPlace()
    const images = await driver.open(path)
    const key = pictureKey(randomUUID(), randomUUID())
    const batch = await images.startBatch()
    await batch.add(key, pngOf('picture'))
    await batch.publish()
    await batch.discard()
    expect((await stat(join(path, key))).mode & 0o777).toBe(0o600)
    expect((await stat(join(path, key, '..'))).mode & 0o777).toBe(0o700)
    expect(await readdir(join(path, '.staging'))).toEqual([])
  })

  test('removes files that a killed import left a day ago, and no younger ones', async () => {
    const path = await driver.newPlace()
    const [old, young] = ['old', 'young'].map((name) => join(path, '.staging', name)) as [string, string]
    for (const folder of [old, young]) {
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, 'x.png'), 'x')
    }
    const yesterday = new Date(Date.now() - 25 * 3_600_000)
    await utimes(old, yesterday, yesterday)
    const images = await driver.open(path)
    expect(await readdir(join(path, '.staging'))).toEqual(['young'])
    await utimes(young, yesterday, yesterday)
    // Not at the first look: a clock that jumped makes everything look old.
    expect(await images.tidy()).toBe(0)
    expect(await images.tidy()).toBe(1)
    expect(await readdir(join(path, '.staging'))).toEqual([])
  })

  test('a project folder that is a symbolic link is refused', async () => {
    const path = await driver.newPlace()
    const images = await driver.open(path)
    const projectId = randomUUID()
    await mkdir(`${path}-elsewhere`)
    await symlink(`${path}-elsewhere`, join(path, projectId))
    const batch = await images.startBatch()
    await batch.add(pictureKey(projectId, randomUUID()), pngOf('picture'))
    await expect(batch.publish()).rejects.toMatchObject({ code: 'storage_failed' })
    await batch.discard()
  })

  test('a picture that is cut off anywhere is damaged; bytes after its end are allowed', async () => {
    const path = await driver.newPlace()
    const images = await driver.open(path)
    const key = pictureKey(randomUUID(), randomUUID())
    const png = await makePng(40, 30)
    const conditionWith = async (bytes: Buffer) => {
      await mkdir(join(path, key, '..'), { recursive: true })
      await writeFile(join(path, key), bytes)
      return await images.condition(key)
    }
    const cuts = Array.from({ length: png.length }, (_, length) => length)
    for (const length of cuts)
      expect([length, await conditionWith(png.subarray(0, length))]).toEqual([length, 'damaged'])
    // As after a power cut: the size is right, and what was not written is zero.
    const zeroed = Buffer.concat([png.subarray(0, -20), Buffer.alloc(20)])
    expect(await conditionWith(zeroed)).toBe('damaged')
    expect(await conditionWith(png)).toBe('whole')
    expect(await conditionWith(Buffer.concat([png, Buffer.from('behind the end')]))).toBe('whole')
    expect(await conditionWith(Buffer.concat([png, Buffer.alloc(100_000)]))).toBe('whole')
  })

  test('a large picture with bytes after its end is whole: its chunks are followed over many reads', async () => {
    const path = await driver.newPlace()
    const images = await driver.open(path)
    const key = pictureKey(randomUUID(), randomUUID())
    const pixels = { raw: { width: 400, height: 300, channels: 3 } } as const
    const png = await sharp(randomBytes(400 * 300 * 3), pixels)
      .png()
      .toBuffer()
    expect(png.length).toBeGreaterThan(200_000)
    await mkdir(join(path, key, '..'), { recursive: true })
    await writeFile(join(path, key), Buffer.concat([png, Buffer.from('more')]))
    expect(await images.condition(key)).toBe('whole')
    await writeFile(join(path, key), png.subarray(0, -30))
    expect(await images.condition(key)).toBe('damaged')
  })

  test('a missing folder is `storage_failed`, not a crash', async () => {
    const path = await driver.newPlace()
    const images = await driver.open(path)
    await rm(path, { recursive: true })
    await expect(images.startBatch()).rejects.toMatchObject({ code: 'storage_failed' })
    await expect(images.check()).rejects.toMatchObject({ code: 'storage_failed' })
  })
})
