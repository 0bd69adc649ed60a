import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createFindLost } from '../../../src/capture/open-queue.ts'

const attempt = (lease: number, uuid: string = randomUUID()) => {
  return { projectId: 'p', rootId: 'r', position: 0, uuid, lease, deaths: 0 }
}

test('an attempt is lost when its lease has not changed for long enough, whatever the lease says', () => {
  const findLost = createFindLost(20)
  const [dead, alive] = [attempt(5), attempt(-1e15)]
  for (let now = 0; now < 20; now += 5) expect(findLost([dead, attempt(now, alive.uuid)], now)).toEqual([])
  expect(findLost([dead, attempt(20, alive.uuid)], 20)).toEqual([dead])
})

test('an attempt that disappears and comes back is watched from the start', () => {
  const findLost = createFindLost(20)
  const one = attempt(5)
  findLost([one], 0)
  findLost([], 10)
  expect(findLost([one], 20)).toEqual([])
  expect(findLost([one], 30)).toEqual([])
  expect(findLost([one], 40)).toEqual([one])
})

test('a process that has not looked for long reports nothing as lost: it was frozen itself, or no lease could be renewed', () => {
  const findLost = createFindLost(20)
  const one = attempt(5)
  for (const now of [0, 10]) expect(findLost([one], now)).toEqual([])
  expect(findLost([one], 1_000)).toEqual([])
  expect(findLost([one], 1_010)).toEqual([])
  expect(findLost([one], 1_020)).toEqual([one])
})
