import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { type Camera, CaptureFailure } from '../../src/camera/camera.ts'
import { CaptureFigures } from '../../src/capture/figures.ts'
import { createWork } from '../../src/capture/worker.ts'
import { readConfig } from '../../src/config/config.ts'
import type { CaptureOptions } from '../../src/contract/capture-options.ts'
import { AppError } from '../../src/errors.ts'
import type { DiskSpace, ImageKey, Images } from '../../src/images/images.ts'
import { createKeyRing } from '../../src/secrets/key-ring.ts'
import { openStorage } from '../../src/service/storage.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { newRequest, newSeen } from '../support/store/captures.ts'
import { pictureKey, previewKey } from '../support/store/image-keys.ts'
import { makePng, makeProject } from '../support/store/results.ts'

async function readStored(images: Images, key: ImageKey): Promise<Buffer | undefined> {
  const file = await images.open(key)
  return file && (await buffer(file.stream({ start: 0, end: file.size - 1 })).finally(() => file.close()))
}

/** A page whose picture does not fit this many times, on a disk of this many bytes. */
async function captureOn({
  refusals = 0,
  totalBytes = 1e9,
  failure: fails,
  stoodStill = false,
  options = {},
  captureBytes = 1e6,
}: {
  refusals?: number
  totalBytes?: number
  failure?: CaptureFailure
  stoodStill?: boolean
  options?: Partial<CaptureOptions>
  captureBytes?: number
}) {
  const { store, images, close } = await openStorage(
    readConfig({ DATA_DIR: join(await makeFolder(), 'data') }),
  )
  const figures = new CaptureFigures(() => 0)
  const bytes = await makePng()
  let shots = 0
  const camera: Camera = {
    ready: async () => ({ path: '', kind: 'headless shell', origin: '', version: '', sandboxed: true }),
    shoot: async () => {
      shots++
      if (fails) throw fails
      return { bytes, seen: newSeen() }
    },
    close: async () => {},
  }
  let left = refusals
  const startBatch = images.startBatch.bind(images)
  const room: DiskSpace = { totalBytes, freeBytes: 500, isFull: false, lacksInodes: false }
  Object.assign(images, {
    room: async () => room,
    startBatch: async () => {
      if (left-- > 0) throw new AppError('storage_full', 'The disk that holds the pictures is full.')
      return await startBatch()
    },
  })
  const work = createWork({
    ...{ camera, captures: store.captures, images, figures, clock: () => 1 },
    limits: { picturePixels: 1e6, captureBytes },
    standstill: { since: () => stoodStill },
    ring: createKeyRing([]),
    ...{ log: { info: () => {}, warn: () => {} }, onBegun: () => {}, onEnded: () => {} },
  })
  const request = newRequest(await makeProject(store), { options })
  await store.captures.accept(request)
  const task = await store.captures.takeNext({ now: 2e12, leaseMs: 1 })
  if (!task) throw new Error('nothing is due')
  const failure = await work(task, new AbortController().signal).catch((error) => error.code ?? error.name)
  const progress = await store.captures.findProgress(request.projectId, request.rootId)
  const page = progress?.captures[0]
  const [picture, preview] = await Promise.all(
    [pictureKey, previewKey].map((key) => readStored(images, key(request.projectId, task.uuid))),
  )
  await close()
  return { failure, page, shots, figures, taken: bytes, picture, preview }
}

test('a picture that is larger than the whole disk fails with `too_large`, and is not taken again', async () => {
  const { failure, page, shots, figures } = await captureOn({ refusals: 2, totalBytes: 100 })
  expect({ failure, shots, stored: figures.storedBytes }).toEqual({ failure: undefined, shots: 1, stored: 0 })
  expect(page?.failed).toEqual({
    reason: 'too_large',
    detail: expect.stringMatching(
      /^The picture, 64 × 48 pixels, has \d+ bytes: .* larger than the whole disk that holds the pictures/,
    ),
  })
  expect([...figures.times.keys()]).toEqual(['too_large'])
})

test('a picture is stored if room is missing only for a moment', async () => {
  const { page, shots, figures } = await captureOn({ refusals: 1 })
  expect([page?.state, shots, figures.storedBytes > 0, figures.underWay]).toEqual(['done', 1, true, 0])
})

test('a picture that does not fit waits, whatever the disk reports as free', async () => {
  const { failure, page } = await captureOn({ refusals: 2 })
  expect([failure, page?.state]).toEqual(['storage_full', 'running'])
})

test('a page that failed while its process was frozen is tried again, and does not count as failed', async () => {
  const failure = new CaptureFailure('timeout', 'It did not answer in time.')
  const blamed = await captureOn({ failure })
  expect([blamed.failure, blamed.page?.failed?.reason]).toEqual([undefined, 'timeout'])
  const frozen = await captureOn({ failure, stoodStill: true })
  expect([frozen.failure, frozen.page?.state]).toEqual(['StoodStill', 'running'])
})

const FINISH: Partial<CaptureOptions> = {
  style: 'macos-simple-dark',
  effects: [
    { effect: 'roundcorners', options: { radius: 8 } },
    { effect: 'resize', options: { width: 800 } },
    { effect: 'margin', options: { margin: 10 } },
  ],
}

test('a picture is finished before it is stored, and its preview shows the finished picture', async () => {
  const { picture, preview } = await captureOn({ options: FINISH })
  // 64 × 48 with a title bar of 36 is 64 × 84.
  const [width, height] = [800 + 20, (84 * 800) / 64 + 20]
  expect(await sharp(picture).metadata()).toMatchObject({ format: 'png', width, height, channels: 4 })
  expect(await sharp(preview).metadata()).toMatchObject({ format: 'png', width: 400, channels: 4 })
  const corner = await sharp(preview).extract({ left: 0, top: 0, width: 1, height: 1 }).raw().toBuffer()
  expect([...corner]).toEqual([0, 0, 0, 0])
})

test('a picture without finishing is stored as it was taken', async () => {
  for (const options of [{}, { effects: [{ effect: 'margin' as const }] }]) {
    const { picture, taken } = await captureOn({ options })
    expect(picture).toEqual(taken)
  }
})

test('a picture that becomes too large when finished fails with `too_large`, and is not taken again', async () => {
  const { page, shots } = await captureOn({
    options: {
      effects: [
        { effect: 'margin', options: { margin: 1 } },
        { effect: 'resize', options: { width: 2000 } },
      ],
    },
  })
  expect(shots).toBe(1)
  expect(page?.failed).toEqual({
    reason: 'too_large',
    detail: 'Effect 2 (resize) makes the picture 2000 × 1515 pixels, more than MAX_PICTURE_PIXELS (1000000).',
  })
})

test('a finished picture with too many bytes fails with `too_large`', async () => {
  const { page, shots } = await captureOn({ options: FINISH, captureBytes: 2_000 })
  expect(shots).toBe(1)
  expect(page?.failed).toEqual({
    reason: 'too_large',
    detail: expect.stringMatching(
      /^The finished picture has \d+ bytes, more than 2000 \(MAX_CAPTURE_BYTES\)\.$/,
    ),
  })
})
