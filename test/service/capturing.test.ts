import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { openCapturing } from '../../src/service/capturing.ts'
import { openStorage, type Storage } from '../../src/service/storage.ts'
import { makeFolder } from '../support/processes/workspace.ts'

/** Counts the looks at what is due. */
function watched(storage: Storage): { storage: Storage; looks: () => number } {
  let looks = 0
  const { schedules } = storage.store
  const findNextDue = async () => {
    looks++
    return await schedules.findNextDue()
  }
  const counted = new Proxy(schedules, {
    get: (target, name: keyof typeof schedules) =>
      name === 'findNextDue' ? findNextDue : target[name].bind(target),
  })
  return { storage: { ...storage, store: { ...storage.store, schedules: counted } }, looks: () => looks }
}

test('a command that captures nothing creates no roots of schedules while it runs', async () => {
  const config = readConfig({ DATA_DIR: await makeFolder() })
  const storage = await openStorage(config)
  onTestFinished(() => storage.close())
  const [idle, busy] = [watched(storage), watched(storage)]
  const common = { log: pino({ level: 'silent' }), clock: Date.now }
  const opened = [
    await openCapturing(config, idle.storage, { ...common, takes: 'nothing' }),
    await openCapturing(config, busy.storage, common),
  ]
  onTestFinished(async () => void (await Promise.all(opened.map((each) => each.close()))))
  await expect.poll(busy.looks, { timeout: 60_000 }).toBeGreaterThan(0)
  expect(idle.looks()).toBe(0)
})
