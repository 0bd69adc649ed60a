import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { LostAttempts } from '../../../src/capture/open-queue.ts'

const attempt = (lease: number, uuid: string = randomUUID()) => {
  return { projectId: 'p', rootId: 'r', position: 0, uuid, lease, deaths: 0 }
}

test('an attempt is lost when its lease has not changed for long enough, whatever the lease says', () => {
  const lost = new LostAttempts(20)
  const [dead, alive] = [attempt(5), attempt(-1e15)]
  for (let now = 0; now < 20; now += 5) expect(lost.look([dead, attempt(now, alive.uuid)], now)).toEqual([])
  expect(lost.look([dead, attempt(20, alive.uuid)], 20)).toEqual([dead])
})

test('an attempt that disappears and comes back is watched from the start', () => {
  const lost = new LostAttempts(20)
  const one = attempt(5)
  lost.look([one], 0)
  lost.look([], 10)
  expect(lost.look([one], 20)).toEqual([])
  expect(lost.look([one], 30)).toEqual([])
  expect(lost.look([one], 40)).toEqual([one])
})

test('a process that has not looked for long reports nothing as lost: it was frozen itself, or no lease could be renewed', () => {
  const lost = new LostAttempts(20)
  const one = attempt(5)
  for (const now of [0, 10]) expect(lost.look([one], now)).toEqual([])
  expect(lost.look([one], 1_000)).toEqual([])
  expect(lost.look([one], 1_010)).toEqual([])
  expect(lost.look([one], 1_020)).toEqual([one])
})
