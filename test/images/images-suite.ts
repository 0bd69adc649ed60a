import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import type { ImageKey, Images, OpenImage } from '../../src/images/images.ts'
import { pictureKey, previewKey } from '../support/store/image-keys.ts'
import { pngOf } from '../support/store/png-of.ts'

export interface ImagesDriver {
  open(place: string): Promise<Images>
  newPlace(): Promise<string>
}

/** What every image store must do, wherever it keeps the pictures. */
export function imagesSuite(name: string, driver: ImagesDriver): void {
  const open = async () => driver.open(await driver.newPlace())
  const read = async (images: Images, key: ImageKey) => {
    const image = await images.open(key)
    return image && (await buffer(image.stream({ start: 0, end: image.size - 1 })))
  }
  const put = async (images: Images, key: ImageKey, bytes: Buffer) => {
    const batch = await images.startBatch()
    await batch.add(key, bytes)
    await batch.publish()
    await batch.discard()
  }

  test(`${name}: free space is reported if it is limited`, async () => {
    const room = await (await open()).room()
    if (room) expect(room.freeBytes).toBeLessThanOrEqual(room.totalBytes)
    expect(room?.isFull).not.toBe(true)
  })

  describe(`${name}: a batch`, () => {
    test('is invisible until it is published, and then complete', async () => {
      const images = await open()
      const [projectId, uuid] = [randomUUID(), randomUUID()]
      const batch = await images.startBatch()
      await batch.add(pictureKey(projectId, uuid), pngOf('picture'))
      await batch.add(previewKey(projectId, uuid), pngOf('preview'))
      expect(await images.open(pictureKey(projectId, uuid))).toBeUndefined()
      await batch.publish()
      await batch.discard()
      expect(await read(images, pictureKey(projectId, uuid))).toEqual(pngOf('picture'))
      expect(await read(images, previewKey(projectId, uuid))).toEqual(pngOf('preview'))
    })

    test('that is discarded leaves nothing behind', async () => {
      const images = await open()
      const key = pictureKey(randomUUID(), randomUUID())
      const batch = await images.startBatch()
      await batch.add(key, pngOf('picture'))
      await batch.discard()
      await batch.discard()
      expect(await images.open(key)).toBeUndefined()
    })

    test('replaces files that a killed import left under its keys', async () => {
      const images = await open()
      const key = pictureKey(randomUUID(), randomUUID())
      for (const content of ['left behind', 'whole']) await put(images, key, pngOf(content))
      expect(await read(images, key)).toEqual(pngOf('whole'))
    })

    test('does not disturb others at the same time', async () => {
      const images = await open()
      const projectId = randomUUID()
      const uuids = Array.from({ length: 20 }, () => randomUUID())
      await Promise.all(uuids.map((uuid) => put(images, pictureKey(projectId, uuid), pngOf(uuid))))
      for (const uuid of uuids) expect(await read(images, pictureKey(projectId, uuid))).toEqual(pngOf(uuid))
    })
  })

  describe(`${name}: an open image`, () => {
    test('knows its size and can be read in parts', async () => {
      const images = await open()
      const key = pictureKey(randomUUID(), randomUUID())
      await put(images, key, pngOf('0123456789'))
      const image = (await images.open(key)) as OpenImage
      expect(image).toMatchObject({
        size: pngOf('0123456789').length,
        etag: expect.stringMatching(/^"[^"]+"$/),
        modified: expect.any(Date),
      })
      expect(String(await buffer(image.stream({ start: 3, end: 5 })))).toBe('345')
      const again = await images.open(key)
      expect(again?.etag).toBe(image.etag)
      await again?.close()
    })
  })

  test(`${name}: an image is missing, whole or damaged, and only a whole one can be opened`, async () => {
    const images = await open()
    const [missing, whole, empty] = Array.from({ length: 3 }, () => pictureKey(randomUUID(), randomUUID()))
    await put(images, whole as ImageKey, pngOf('picture'))
    await put(images, empty as ImageKey, Buffer.alloc(0))
    for (const [key, condition] of [
      [missing, 'missing'],
      [whole, 'whole'],
      [empty, 'damaged'],
    ] as [ImageKey, string][]) {
      expect(await images.condition(key)).toBe(condition)
      expect((await read(images, key)) !== undefined).toBe(condition === 'whole')
    }
  })

  describe(`${name}: a stored image`, () => {
    const walk = async (images: Images, projectId: string) =>
      (await Array.fromAsync(images.walk(projectId))).flat()

    test('is found by its project, with its age', async () => {
      const images = await open()
      const [projectId, other] = [randomUUID(), randomUUID()]
      const keys = [pictureKey(projectId, randomUUID()), previewKey(projectId, randomUUID())]
      for (const key of [...keys, pictureKey(other, randomUUID())]) await put(images, key, pngOf('picture'))
      const found = await walk(images, projectId)
      expect(found.map(({ key }) => key).sort()).toEqual(keys.sort())
      for (const { modified } of found) expect(Math.abs(Date.now() - modified)).toBeLessThan(3_600_000)
      expect(await walk(images, randomUUID())).toEqual([])
    })

    test('is found among very many', async () => {
      const images = await open()
      const projectId = randomUUID()
      const batch = await images.startBatch()
      const keys = Array.from({ length: 250 }, () => pictureKey(projectId, randomUUID()))
      for (const key of keys) await batch.add(key, pngOf('picture'))
      await batch.publish()
      await batch.discard()
      const found = await walk(images, projectId)
      expect(found.map(({ key }) => key).sort()).toEqual(keys.sort())
    })

    test('can be removed, and removing a missing one is not a failure', async () => {
      const images = await open()
      const projectId = randomUUID()
      const [gone, kept] = [pictureKey(projectId, randomUUID()), pictureKey(projectId, randomUUID())]
      for (const key of [gone, kept]) await put(images, key, pngOf('picture'))
      const nowhere = pictureKey(randomUUID(), randomUUID())
      for (let times = 0; times < 2; times++) await images.remove([gone, nowhere])
      expect((await walk(images, projectId)).map(({ key }) => key)).toEqual([kept])
      const stop = () => {
        throw new Error('not any more')
      }
      await expect(images.remove([kept], stop)).rejects.toThrow()
      expect(await images.condition(kept)).toBe('whole')
    })

    test('is not removed while it is being stored', async () => {
      const images = await open()
      const key = pictureKey(randomUUID(), randomUUID())
      const batch = await images.startBatch()
      await batch.add(key, pngOf('picture'))
      expect(await images.tidy()).toBe(0)
      await batch.publish()
      expect(await images.condition(key)).toBe('whole')
      await batch.discard()
    })
  })

  test(`${name}: the place remembers that two databases share it`, async () => {
    const place = await driver.newPlace()
    const images = await driver.open(place)
    expect(await images.isShared()).toBe(false)
    for (let times = 0; times < 2; times++) await images.setShared()
    expect(await (await driver.open(place)).isShared()).toBe(true)
  })

  describe(`${name}: picture URLs`, () => {
    test('stay the same for a whole signing window, and so does the tag', async () => {
      const images = await open()
      const key = pictureKey(randomUUID(), randomUUID())
      const window = 12 * 3_600_000
      const at = (now: number) => images.addresses({ now, origin: 'http://127.0.0.1:8080' })
      const first = await at(window * 10)
      const last = await at(window * 11 - 1)
      const next = await at(window * 11)
      expect([last.tag, last.address(key)]).toEqual([first.tag, first.address(key)])
      expect(next.tag).not.toBe(first.tag)
      expect(next.address(key)).not.toBe(first.address(key))
    })
  })

  test(`${name}: the check succeeds`, async () => {
    await (await open()).check()
  })
}
