import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { MAX_DEATHS, StoodStill } from '../../../src/capture/queue.ts'
import { SUSPECT_DEATHS } from '../../../src/store/captures.ts'
import { until } from '../../support/runner/until.ts'
import { FAILURE, PICTURE } from '../../support/store/captures.ts'
import { makeProject } from '../../support/store/results.ts'
import { dieAt, hanging, openProcess, over, type Place, processOpener, untilOver } from './open-process.ts'

/** What the queue must do when a process is frozen, is slow, or dies. */
export function lostProcessSuite(name: string, newPlace: () => Promise<Place>): void {
  const open = processOpener(newPlace)

  describe(`${name}: a queue`, () => {
    test('a process frozen for longer than its lease loses its capture, notices it, and ends nothing late', async () => {
      const place = await newPlace()
      const { work, begun, told } = hanging()
      // Its clock stands still, so that renewing changes nothing.
      const instant = Date.now()
      const frozen = await openProcess(place, { work, clock: () => instant, leaseMs: 1_000 })
      const { projectId, rootId } = await frozen.ask(await makeProject(frozen.store))
      const late = await begun
      const state = async () => (await frozen.captures.findProgress(projectId, rootId))?.captures[0]

      const other = await openProcess(place, { leaseMs: 1_000 })
      await until(async () => (await state())?.state === 'done')
      const [job] = await other.store.jobsOf(projectId, [rootId])
      const root = await other.store.findRoot(projectId, rootId)
      expect(await state()).toMatchObject({ attempts: 1, uuid: job?.uuid })
      expect(job?.uuid).not.toBe(late.uuid)
      // It notices at its next renewal; an error that it throws then changes nothing.
      await told
      expect(await frozen.captures.finish(late, PICTURE, Date.now())).toBe(false)
      expect(await frozen.captures.finish(late, FAILURE, Date.now())).toBe(false)
      await frozen.close()
      expect(await other.store.findRoot(projectId, rootId)).toEqual(root)
      expect(await state()).toMatchObject({ state: 'done', attempts: 1, uuid: job?.uuid })
    })

    test('a slow process keeps its capture as long as it takes, even if clocks jump', async () => {
      const place = await newPlace()
      const { work, begun, works } = hanging()
      let jumped = 0
      const clock = () => Date.now() + jumped
      // Both use one clock, as on one machine.
      const slow = await openProcess(place, { work, clock, concurrency: 2, leaseMs: 1_000 })
      const { projectId, rootId } = await slow.ask(await makeProject(slow.store))
      await begun
      const other = await openProcess(place, { clock, concurrency: 1, leaseMs: 1_000 })
      for (jumped of [-7_200_000, 7_200_000, 691_200_000, 0]) {
        await sleep(1_100)
        const progress = await other.captures.findProgress(projectId, rootId)
        expect(progress?.captures).toMatchObject([{ state: 'running', attempts: 1 }])
      }
      // It did not take its own capture again either.
      expect(works()).toBe(1)
    })

    test('a process that dies does not count as a failure of its page, however often', async () => {
      const place = await newPlace()
      const { projectId, rootId, captures } = await dieAt(place, 3, MAX_DEATHS - 1)
      const { queue } = await openProcess(place, { concurrency: 2 })
      queue.wake({ projectId, rootId })
      await until(() => over(captures))
      const progress = await captures.findProgress(projectId, rootId)
      expect(progress?.captures.map(({ state, attempts }) => [state, attempts])).toEqual(
        Array.from({ length: 3 }, () => ['done', 1]),
      )
    })

    test('a frozen process does not count as a failure of its page, but the page is not tried forever', async () => {
      const tried: [number, number][] = []
      const process = await open({
        work: (captures) => async (task) => {
          tried.push([task.attempts, task.deaths])
          if (task.deaths >= MAX_DEATHS) await captures.finish(task, FAILURE, Date.now())
          else throw new StoodStill('it stood still')
        },
      })
      const request = await process.ask(await makeProject(process.store))
      await untilOver(process, request)
      expect(tried).toEqual(Array.from({ length: MAX_DEATHS + 1 }, (_, deaths) => [1, deaths]))
    })

    test('a page during which many processes died is captured alone', async () => {
      const place = await newPlace()
      const { projectId, rootId, captures } = await dieAt(place, 1, SUSPECT_DEATHS)
      let [underWay, most, alone] = [0, 0, 0]
      const { promise: allSlotsUsed, resolve: useAllSlots } = Promise.withResolvers<void>()
      const { ask } = await openProcess(place, {
        concurrency: 3,
        work: (captures) => async (task) => {
          underWay += 1
          if (task.deaths > 0) alone = underWay
          most = Math.max(most, underWay)
          if (most === 3) useAllSlots()
          // The pages wait for each other, so that as many run as are allowed.
          if (task.deaths === 0) await Promise.race([allSlotsUsed, sleep(10_000)])
          await sleep(300)
          if (task.deaths > 0) alone = Math.max(alone, underWay)
          underWay -= 1
          await captures.finish(task, PICTURE, Date.now())
        },
      })
      await ask(projectId, { pages: 4 })
      await until(() => over(captures))
      expect((await captures.findProgress(projectId, rootId))?.captures).toMatchObject([{ state: 'done' }])
      expect([most, alone]).toEqual([3, 1])
    })
  })
}
