// @module-tag browser

import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Camera, CaptureFailure, type PageToShoot } from '../../src/camera/camera.ts'
import { openCameraThread } from '../../src/camera/thread/camera-thread.ts'
import { findBrowsers, type Handler, HTML, paint, readPixels, serveSite } from '../support/camera/camera.ts'
import { makeFolder } from '../support/processes/workspace.ts'

const WINDOW = { width: 320, height: 200, fullPage: false }
const pageOf = (url: string, more: Partial<PageToShoot> = {}): PageToShoot => ({
  url,
  options: WINDOW,
  loadingTime: 5_000,
  ...more,
})
const never = () => new AbortController().signal

async function openThread(answer: Handler): Promise<{ camera: Camera; warnings: unknown[] }> {
  vi.stubEnv('DATA_DIR', await makeFolder())
  onTestFinished(() => void vi.unstubAllEnvs())
  const site = await serveSite({ '*': answer })
  onTestFinished(() => site.close())
  const warnings: unknown[] = []
  const camera = openCameraThread({
    log: { info: () => {}, warn: (...values: unknown[]) => void warnings.push(values.at(-1)) },
    fixedAddresses: new Map([['site.test', { address: '127.0.0.1', port: site.port }]]),
  })
  onTestFinished(() => camera.close())
  return { camera, warnings }
}

const RED: Handler = (answer) => void answer.writeHead(200, HTML).end(paint('#ff0000'))

test('pictures come from the thread, with what was seen of the page', async () => {
  const { camera } = await openThread(RED)
  const before = findBrowsers().length
  expect(await camera.ready()).toMatchObject({ version: expect.stringMatching(/\d/) })
  const shots = await Promise.all(
    ['a', 'b', 'c'].map((path) => camera.shoot(pageOf(`http://site.test/${path}`), never())),
  )
  for (const { bytes, seen } of shots) {
    expect(Buffer.isBuffer(bytes)).toBe(true)
    expect((await readPixels(bytes)).at(10, 10)).toEqual('#ff0000')
    expect(seen).toMatchObject({ status: 200 })
  }
  await camera.close()
  expect(findBrowsers().length).toBe(before)
  await expect(camera.shoot(pageOf('http://site.test/'), never())).rejects.toThrow('the camera is closed')
})

test('failures are the same as those of the camera', async () => {
  const { camera } = await openThread((answer) => void answer.writeHead(404, HTML).end(paint('#ff0000')))
  const failing = camera.shoot(
    pageOf('http://site.test/', { options: { ...WINDOW, failOn: 'status' } }),
    never(),
  )
  const failure = await failing.catch((error) => error)
  expect(failure).toBeInstanceOf(CaptureFailure)
  expect(failure.seen).toMatchObject({ status: 404 })
  const blocked = await camera.shoot(pageOf('http://127.0.0.1/'), never()).catch((error) => error)
  expect(blocked).toBeInstanceOf(CaptureFailure)
  expect(blocked.reason).toBe('blocked')
  vi.stubEnv('CHROMIUM_PATH', '/bin/true')
  const { camera: without } = await openThread(RED)
  await expect(without.ready()).rejects.toMatchObject({ name: 'AppError', code: 'no_browser' })
})

test('an aborted capture rejects with the reason of its signal, and the page ends in the thread', async () => {
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  const { promise: left, resolve: leave } = Promise.withResolvers<void>()
  const { camera } = await openThread((answer) => {
    answer.once('close', leave)
    resolve()
  })
  const giveUp = new AbortController()
  const shooting = camera.shoot(pageOf('http://site.test/', { loadingTime: 100_000 }), giveUp.signal)
  shooting.catch(() => {})
  await asked
  const reason = new Error('enough')
  giveUp.abort(reason)
  await expect(shooting).rejects.toBe(reason)
  await left
})

test('the browser of a thread ends when the thread dies', async () => {
  const started = once(process, 'worker') as Promise<[Worker]>
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  const { camera } = await openThread(() => resolve())
  const before = findBrowsers()
  const shooting = camera.shoot(pageOf('http://site.test/', { loadingTime: 100_000 }), never())
  shooting.catch(() => {})
  await asked
  expect(findBrowsers().length).toBeGreaterThan(before.length)
  const [thread] = await started
  await thread.terminate()
  await expect(shooting).rejects.toMatchObject({ name: 'CaptureFailure', reason: 'crashed' })
  await expect.poll(() => findBrowsers()).toEqual(before)
})

test('pages of a thread that dies fail with `crashed`, and the next page starts another thread', async () => {
  const { camera, warnings } = await openThread(RED)
  vi.stubEnv('PORT', 'none')
  const failure = await camera.shoot(pageOf('http://site.test/'), never()).catch((error) => error)
  expect(failure).toBeInstanceOf(CaptureFailure)
  expect(failure.reason).toBe('crashed')
  expect(warnings).toEqual(['the camera has stopped; the next page starts it again'])
  vi.stubEnv('PORT', undefined)
  const { bytes } = await camera.shoot(pageOf('http://site.test/'), never())
  expect((await readPixels(bytes)).at(10, 10)).toEqual('#ff0000')
})
