import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { type Images, type OpenImage, pictureKey, previewKey } from '../../src/images/images.ts'

export interface ImagesDriver {
  open(place: string): Promise<Images>
  newPlace(): Promise<string>
}

/** What every image store must do, wherever the pictures lie. */
export function imagesSuite(name: string, driver: ImagesDriver): void {
  const open = async () => driver.open(await driver.newPlace())
  const read = async (images: Images, key: ReturnType<typeof pictureKey>) => {
    const image = await images.open(key)
    return image && (await buffer(image.stream({ start: 0, end: image.size - 1 })))
  }

  test(`${name}: tells how much room there is, where there is an end to it`, async () => {
    const room = await (await open()).room()
    if (room) expect(room.freeBytes).toBeLessThanOrEqual(room.totalBytes)
    expect(room?.isFull).not.toBe(true)
  })

  describe(`${name}: a batch`, () => {
    test('is invisible until it is published, and then whole', async () => {
      const images = await open()
      const [projectId, uuid] = [randomUUID(), randomUUID()]
      const batch = await images.startBatch()
      await batch.add(pictureKey(projectId, uuid), Buffer.from('picture'))
      await batch.add(previewKey(projectId, uuid), Buffer.from('preview'))
      expect(await images.open(pictureKey(projectId, uuid))).toBeUndefined()
      await batch.publish()
      await batch.discard()
      expect(String(await read(images, pictureKey(projectId, uuid)))).toBe('picture')
      expect(String(await read(images, previewKey(projectId, uuid)))).toBe('preview')
    })

    test('that is discarded leaves nothing', async () => {
      const images = await open()
      const key = pictureKey(randomUUID(), randomUUID())
      const batch = await images.startBatch()
      await batch.add(key, Buffer.from('picture'))
      await batch.discard()
      await batch.discard()
      expect(await images.open(key)).toBeUndefined()
    })

    test('takes the place of what a killed import left under its keys', async () => {
      const images = await open()
      const key = pictureKey(randomUUID(), randomUUID())
      for (const content of ['left behind', 'whole']) {
        const batch = await images.startBatch()
        await batch.add(key, Buffer.from(content))
        await batch.publish()
        await batch.discard()
      }
      expect(String(await read(images, key))).toBe('whole')
    })

    test('of several at once do not disturb each other', async () => {
      const images = await open()
      const projectId = randomUUID()
      const uuids = Array.from({ length: 20 }, () => randomUUID())
      await Promise.all(
        uuids.map(async (uuid) => {
          const batch = await images.startBatch()
          await batch.add(pictureKey(projectId, uuid), Buffer.from(uuid))
          await batch.publish()
          await batch.discard()
        }),
      )
      for (const uuid of uuids) expect(String(await read(images, pictureKey(projectId, uuid)))).toBe(uuid)
    })
  })

  describe(`${name}: an open image`, () => {
    test('knows its size and gives any part of itself', async () => {
      const images = await open()
      const key = pictureKey(randomUUID(), randomUUID())
      const batch = await images.startBatch()
      await batch.add(key, Buffer.from('0123456789'))
      await batch.publish()
      await batch.discard()
      const image = (await images.open(key)) as OpenImage
      expect(image).toMatchObject({
        size: 10,
        etag: expect.stringMatching(/^"[^"]+"$/),
        modified: expect.any(Date),
      })
      expect(String(await buffer(image.stream({ start: 3, end: 5 })))).toBe('345')
      const again = await images.open(key)
      expect(again?.etag).toBe(image.etag)
      await again?.close()
    })
  })

  describe(`${name}: addresses`, () => {
    test('are the same for a whole window, and so is the tag', async () => {
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

  test(`${name}: check answers`, async () => {
    await (await open()).check()
  })
}
