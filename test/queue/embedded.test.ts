import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../src/errors.ts'
import { FAILURE, PICTURE } from '../support/captures.ts'
import { makeProject } from '../support/results.ts'
import { makeFolder } from '../support/workspace.ts'
import { hanging, openProcess, type QueueDriver, queueSuite, until } from './queue-suite.ts'

let ahead = 0

const driver: QueueDriver = {
  newPlace: async () => ({ DATA_DIR: join(await makeFolder(), 'data') }),
  async passTime() {
    ahead += 60_000
  },
  clock: () => Date.now() + ahead,
}

queueSuite('embedded', driver)

describe('embedded', () => {
  test('who is frozen for longer than its lease loses its capture, hears of it, and ends nothing late', async () => {
    const place = await driver.newPlace()
    const { work, begun, told } = hanging()
    // Its clock stands still, and what it renews ends when it would have ended anyway.
    const instant = Date.now()
    const frozen = await openProcess(place, { work, clock: () => instant })
    const { projectId, rootId } = await frozen.ask(await makeProject(frozen.store))
    const late = await begun
    const early = await openProcess(place, { clock: () => instant + 19_000, concurrency: 1 })
    early.queue.wake({ projectId, rootId })
    await sleep(1_200)
    const state = async () => (await frozen.captures.findProgress(projectId, rootId))?.captures[0]
    expect(await state()).toMatchObject({ state: 'running', attempts: 1 })
    await early.close()

    const other = await openProcess(place, { clock: () => instant + 20_001 })
    await until(async () => (await state())?.state === 'done')
    const [job] = await other.store.jobsOf(projectId, [rootId])
    const root = await other.store.findRoot(projectId, rootId)
    expect(await state()).toMatchObject({ attempts: 2, uuid: job?.uuid })
    expect(job?.uuid).not.toBe(late.uuid)
    // With its next renewal; what it throws then changes nothing.
    await told
    expect(await frozen.captures.finish(late, PICTURE, Date.now())).toBe(false)
    expect(await frozen.captures.finish(late, FAILURE, Date.now())).toBe(false)
    await frozen.close()
    expect(await other.store.findRoot(projectId, rootId)).toEqual(root)
    expect(await state()).toMatchObject({ state: 'done', attempts: 2, uuid: job?.uuid })
  })

  test('who is slow but alive keeps its capture for as long as it takes', async () => {
    const place = await driver.newPlace()
    const { work, begun } = hanging()
    // Time passes four times as fast: without being renewed it would be lost after five seconds.
    const start = Date.now()
    const clock = () => start + (Date.now() - start) * 4
    const slow = await openProcess(place, { work, clock, concurrency: 1 })
    const { projectId, rootId } = await slow.ask(await makeProject(slow.store))
    await begun
    const other = await openProcess(place, { clock, concurrency: 1 })
    await sleep(7_000)
    const progress = await other.captures.findProgress(projectId, rootId)
    expect(progress?.captures).toMatchObject([{ state: 'running', attempts: 1 }])
  })

  test('for one’s own only: nobody else takes those, nor it another’s, and closing leaves them to all', async () => {
    const place = await driver.newPlace()
    const { work, begun, told, works } = hanging()
    const own = await openProcess(place, { work, ownOnly: true, concurrency: 1 })
    const projectId = await makeProject(own.store)
    const seen: string[] = []
    const other = await openProcess(place, {
      work: (captures) => async (task) => {
        seen.push(task.rootId)
        await captures.finish(task, PICTURE, Date.now())
      },
    })
    const mine = await own.ask(projectId, { pages: 2 })
    expect(await begun).toMatchObject({ rootId: mine.rootId, position: 0 })
    const others = await other.ask(projectId)
    await until(() => seen.length === 1)
    await sleep(1_200)
    expect(seen).toEqual([others.rootId])
    expect(works()).toBe(1)
    await own.close()
    await told
    await until(() => seen.length === 3)
    expect(seen).toEqual([others.rootId, mine.rootId, mine.rootId])
  })

  test('for one’s own only: what was not the page’s fault waits, too', async () => {
    const place = await driver.newPlace()
    let works = 0
    const own = await openProcess(place, {
      ownOnly: true,
      work: () => async () => {
        // As real work does: others get a turn.
        await sleep(5)
        works += 1
        throw new AppError('no_browser')
      },
    })
    await own.ask(await makeProject(own.store))
    await until(() => works === 1)
    await sleep(1_500)
    expect(works).toBe(1)
  })
})
