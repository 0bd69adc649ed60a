import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openEmbeddedQueue } from '../../src/queue/embedded.ts'
import { openEventually } from '../../src/queue/eventually.ts'
import type { Queue } from '../../src/queue/queue.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { newRequest, PICTURE } from '../support/captures.ts'
import { makeProject } from '../support/results.ts'
import { makeFolder } from '../support/workspace.ts'
import { SILENT, until } from './queue-suite.ts'

/** A real queue that can be opened when the test says so. */
async function newQueue({ away = true } = {}) {
  const store = await openSqliteStore(join(await makeFolder(), 'store.db'))
  onTestFinished(() => store.close())
  const { captures } = store
  const test = {
    away,
    tries: 0,
    closed: 0,
    /** Opening waits for it. */
    gate: Promise.resolve(),
    errors: 0,
    /** One page more, worked off or not. */
    async ask() {
      await captures.accept(newRequest(await makeProject(store)))
    },
    anyUnfinished: () => captures.anyUnfinished(),
  }
  const open = async (): Promise<Queue> => {
    test.tries += 1
    await test.gate
    if (test.away) throw new Error('nobody there')
    const queue = openEmbeddedQueue({
      captures,
      concurrency: 1,
      log: SILENT,
      work: async (task) => void (await captures.finish(task, PICTURE, Date.now())),
    })
    const close = async () => {
      test.closed += 1
      await queue.close()
    }
    return { ...queue, close }
  }
  const error = () => {
    test.errors += 1
  }
  const log = { warn: () => {}, error }
  const eventual = openEventually(open, { log, atOnce: true })
  onTestFinished(() => eventual.close())
  return Object.assign(test, { eventual })
}

describe('a queue that is opened as soon as that succeeds', () => {
  test('says what is in the way, and is opened by whoever asks next', async () => {
    const test = await newQueue()
    await expect(test.eventual.opened()).rejects.toThrow('nobody there')
    await until(() => test.errors === 1)
    test.away = false
    const queue = await test.eventual.opened()
    expect(await test.eventual.opened()).toBe(queue)
    expect(test.tries).toBe(2)
    await test.ask()
    await until(async () => !(await test.anyUnfinished()))
  })

  test('is opened once, however many ask at once', async () => {
    const test = await newQueue()
    await until(() => test.errors === 1)
    test.away = false
    const queues = await Promise.all(Array.from({ length: 5 }, () => test.eventual.opened()))
    expect(new Set(queues).size).toBe(1)
    expect(test.tries).toBe(2)
  })

  test('is opened by itself a while later, and works off what is there', async () => {
    const test = await newQueue()
    await test.ask()
    await until(() => test.errors === 1)
    test.away = false
    await until(async () => !(await test.anyUnfinished()))
    expect([test.tries, test.errors]).toEqual([2, 1])
  })

  test('that another asked for is closed as well', async () => {
    const test = await newQueue()
    await until(() => test.errors === 1)
    test.away = false
    await test.eventual.opened()
    await test.eventual.close()
    expect(test.closed).toBe(1)
  })

  test('is closed also where it is just being opened', async () => {
    const test = await newQueue()
    await until(() => test.errors === 1)
    test.away = false
    const gate = Promise.withResolvers<void>()
    test.gate = gate.promise
    const opened = test.eventual.opened()
    const closing = test.eventual.close()
    gate.resolve()
    await Promise.all([opened, closing])
    expect([test.tries, test.closed]).toEqual([2, 1])
  })

  test('that is closed opens nothing more, and does not wait to try again', async () => {
    const test = await newQueue()
    await until(() => test.errors === 1)
    const tryingAgain = sleep(9_000, 'it waited', { ref: false })
    const closing = test.eventual.close().then(() => test.eventual.close())
    expect(await Promise.race([tryingAgain, closing])).toBeUndefined()
    test.away = false
    await expect(test.eventual.opened()).rejects.toMatchObject({ code: 'unavailable' })
    expect([test.tries, test.closed]).toEqual([1, 0])
  })

  test('that opens at once is closed once', async () => {
    const test = await newQueue({ away: false })
    await test.eventual.opened()
    await test.eventual.close()
    expect([test.tries, test.closed, test.errors]).toEqual([1, 1, 0])
  })
})

test('one that nobody needs is not opened before it is asked for', async () => {
  let opened = 0
  const queue: Queue = { also: undefined, wake: () => {}, close: async () => {} }
  const log = { warn: () => {}, error: () => {} }
  const open = async () => {
    opened++
    return queue
  }
  const eventual = openEventually(open, { log, atOnce: false })
  await sleep(50)
  expect(opened).toBe(0)
  expect(await eventual.opened()).toBe(queue)
  await eventual.close()
  expect(opened).toBe(1)
})
