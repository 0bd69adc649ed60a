import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { openStorage } from '../../src/service/storage.ts'
import type { CaptureTask } from '../../src/store/captures.ts'
import { openSweeps } from '../../src/upkeep/sweeps.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { newRequest, PICTURE } from '../support/store/captures.ts'
import { addRows, makeProject } from '../support/store/results.ts'
import {
  DELIVERED,
  endOne,
  finishRoot,
  LIMIT,
  newWebhook,
  spreadAll,
  takeDeliveries,
} from '../support/store/webhooks.ts'

test('a sweep trims old events and completes removals, even if another step fails', async () => {
  const storage = await openStorage(readConfig({ DATA_DIR: join(await makeFolder(), 'data') }))
  onTestFinished(storage.close)
  const { store, images } = storage
  const projectId = await makeProject(store)
  for (const end of [1, Date.now()]) {
    await store.captures.accept(newRequest(projectId, { created: 1 }))
    const task = (await store.captures.takeNext({ now: 2, leaseMs: 1_000 })) as CaptureTask
    await store.captures.finish(task, PICTURE, end)
  }
  const rootId = await addRows(store, projectId, { jobs: 500 })
  await store.removals.removeRoot(projectId, rootId, Date.now()).next()
  const warnings: unknown[] = []
  const log = { info: () => {}, warn: (_: object, words: string) => warnings.push(words) }
  const tidy = () => Promise.reject(new Error('no disk'))
  const sweeps = openSweeps(
    { store, images: { ...images, tidy } },
    {
      log: log as never,
      kept: { keepMs: 1e12, mostDeliveries: 100 },
      everyMs: 10,
    },
  )
  onTestFinished(() => sweeps.close())
  const numbers = async () =>
    (await store.events.read(projectId, { after: 0, limit: 9 })).map(({ number }) => number)
  while ((await store.removals.findInterrupted()).length > 0 || (await numbers()).length > 2) await sleep(10)
  await sweeps.close()
  expect(await numbers()).toEqual([3, 4])
  expect(warnings[0]).toBe('could not remove what was never published')
})

test('a clock that jumps ahead does not make anything old, however far it jumps', async () => {
  const storage = await openStorage(readConfig({ DATA_DIR: join(await makeFolder(), 'data') }))
  onTestFinished(storage.close)
  const { store, images } = storage
  const projectId = await makeProject(store)
  const webhook = newWebhook(projectId, { created: Date.now() })
  await store.webhooks.create(webhook, LIMIT)
  await finishRoot(store, projectId, { now: Date.now() })
  await spreadAll(store, Date.now())
  for (const task of await takeDeliveries(store, Date.now()))
    await endOne(store, task, DELIVERED, { now: Date.now() })
  let sweepsBegun = 0
  const tidy = async () => {
    sweepsBegun++
    return 0
  }
  const log = { info: () => {}, warn: () => {} }
  const kept = { keepMs: 30 * 86_400_000, mostDeliveries: 100 }
  const sweeps = openSweeps({ store, images: { ...images, tidy } }, { log: log as never, kept, everyMs: 10 })
  onTestFinished(() => sweeps.close())
  const sweepTwice = async () => {
    const before = sweepsBegun
    while (sweepsBegun < before + 3) await sleep(10)
  }
  const remains = async () => [
    (await store.events.read(projectId, { after: 0, limit: 9 })).length,
    (await store.webhooks.listDeliveries(webhook, { limit: 9 })).length,
  ]
  await sweepTwice()
  const before = await remains()
  expect(before).toEqual([2, 2])
  const real = Date.now
  const jumped = vi.spyOn(Date, 'now').mockImplementation(() => real() + 400 * 86_400_000)
  onTestFinished(() => void jumped.mockRestore())
  await sweepTwice()
  expect(await remains()).toEqual(before)
  // The same when it jumps back.
  jumped.mockRestore()
  await sweepTwice()
  expect(await remains()).toEqual(before)
})
