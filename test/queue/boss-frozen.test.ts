import { expect, test } from 'vitest'
import { openBossQueue } from '../../src/queue/boss.ts'
import { openBossDatabase } from '../../src/store/postgres/boss-database.ts'
import { FAILURE, newRequest, PICTURE } from '../support/captures.ts'
import { makeProject } from '../support/results.ts'
import { usePostgres } from '../support/use-servers.ts'
import { addressOf, bossDriver, LIMITS } from './boss-driver.ts'
import { hanging, openProcess, SILENT, until } from './queue-suite.ts'

// A file of its own: it waits for a real heartbeat, and others need not wait for that.

const driver = bossDriver(usePostgres())

test('pg-boss: who is frozen for longer than its heartbeat loses its capture, hears of it, and ends nothing late', async () => {
  const place = await driver.newPlace()
  const waking = openProcess(place, { concurrency: 0 })
  const { store, captures } = await waking
  const { projectId, rootId } = newRequest(await makeProject(store))
  const state = async () => (await captures.findProgress(projectId, rootId))?.captures[0]

  // Nothing that its queue says reaches the database until it wakes up.
  const real = await openBossDatabase(addressOf(place), LIMITS)
  const thaw = Promise.withResolvers<void>()
  let frozen = false
  const database = {
    executeSql: async (text: string, values?: unknown[]) => {
      if (frozen) await thaw.promise
      return await real.database.executeSql(text, values)
    },
  }
  const late = hanging()
  const goOn = Promise.withResolvers<void>()
  const sleeper = await openBossQueue({
    ...real,
    database,
    captures,
    concurrency: 1,
    log: SILENT,
    work: async (task, signal) => {
      await late
        .work()(task, signal)
        .catch(() => {})
      await goOn.promise
      // Whatever it makes of being told: it must not matter.
      expect(await captures.finish(task, PICTURE, Date.now())).toBe(false)
    },
  })
  await captures.accept(newRequest(projectId, { rootId }), sleeper.also)
  sleeper.wake({ projectId, rootId })
  const task = await late.begun
  frozen = true
  const since = performance.now()

  const next = hanging()
  const other = await openProcess(place, { work: next.work, concurrency: 1 })
  const taken = await next.begun
  expect(taken).toMatchObject({ rootId, attempts: 2 })
  // Twenty seconds after its last heartbeat, which was five before it froze at most.
  expect(performance.now() - since).toBeGreaterThan(14_000)

  // It wakes up, hears that it has lost it, and returns as if all were well.
  thaw.resolve()
  frozen = false
  await late.told
  goOn.resolve()
  expect(await captures.finish(task, FAILURE, Date.now())).toBe(false)
  await sleeper.close()
  expect(await state()).toMatchObject({ state: 'running', attempts: 2 })
  // The other one's claim was not ended with that: when it is given back, a third one takes it.
  await other.close()
  expect(await state()).toMatchObject({ state: 'queued', attempts: 1 })
  await openProcess(place)
  await driver.passTime(place)
  await until(async () => (await state())?.state === 'done')
  expect(await state()).toMatchObject({ attempts: 2 })
  expect(await store.jobsOf(projectId, [rootId])).toHaveLength(1)
})
