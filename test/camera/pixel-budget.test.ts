import { expect, test } from 'vitest'
import { createPixelBudget } from '../../src/camera/pixel-budget.ts'

const FOREVER = new AbortController().signal
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Tasks that report when they begin, and end when told. */
function observeBudget(holdMs = 1_000_000) {
  const withinBudget = createPixelBudget(10, 2)
  const begun: number[] = []
  const ends = new Map<number, () => void>()
  const begin = (pixels: number, signal = FOREVER, owner = '') =>
    withinBudget(pixels, { signal, holdMs, owner }, async () => {
      begun.push(pixels)
      await new Promise<void>((resolve) => ends.set(pixels, resolve))
    })
  const end = async (pixels: number) => {
    ends.get(pixels)?.()
    await settled()
  }
  return { begun, begin, end }
}

test('tasks that fit start in order; small ones do not wait', async () => {
  const { begun, begin, end } = observeBudget()
  const all = [6, 4, 8, 3, 2].map((pixels) => begin(pixels))
  await settled()
  expect(begun).toEqual([2, 6, 4])
  await end(6)
  // The last one would fit, but waits for its turn.
  expect(begun).toEqual([2, 6, 4])
  await end(4)
  expect(begun).toEqual([2, 6, 4, 8])
  await end(8)
  expect(begun).toEqual([2, 6, 4, 8, 3])
  for (const last of [3, 2]) await end(last)
  await Promise.all(all)
})

test('tasks larger than the budget run one at a time, and others do not wait for them', async () => {
  const { begun, begin, end } = observeBudget()
  const all = [90, 80, 6, 4].map((pixels) => begin(pixels))
  await settled()
  expect(begun).toEqual([90, 6, 4])
  await end(90)
  expect(begun).toEqual([90, 6, 4, 80])
  for (const last of [80, 6, 4]) await end(last)
  await Promise.all(all)
})

test('owners take turns, however many tasks one of them has', async () => {
  const { begun, begin, end } = observeBudget()
  const all = [90, 91, 92, 93].map((pixels) => begin(pixels, FOREVER, 'many'))
  all.push(begin(50, FOREVER, 'one'), begin(51, FOREVER, 'one'))
  await settled()
  for (const each of [90, 50, 91, 51, 92, 93]) {
    expect(begun.at(-1)).toBe(each)
    await end(each)
  }
  await Promise.all(all)
})

test('the time spent waiting for others is reported separately from the time of the task', async () => {
  const withinBudget = createPixelBudget(10, 2)
  const waits: string[] = []
  const stay = (name: string) => ({
    ...{ signal: FOREVER, holdMs: 1_000_000 },
    whileWaiting: async (waiting: Promise<void>) => {
      await waiting
      waits.push(`${name} waited`)
    },
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = withinBudget(10, stay('first'), () => promise)
  const second = withinBudget(10, stay('second'), async () => void waits.push('second runs'))
  await settled()
  expect(waits).toEqual(['first waited'])
  resolve()
  await Promise.all([first, second])
  expect(waits).toEqual(['first waited', 'second waited', 'second runs'])
})

test('an aborted task gives its pixels back, running or waiting', async () => {
  const { begun, begin, end } = observeBudget()
  const [first, second] = [new AbortController(), new AbortController()]
  const stuck = begin(10, first.signal)
  const waits = begin(8, second.signal)
  const last = begin(5)
  second.abort(new Error('called off'))
  await expect(waits).rejects.toThrow('called off')
  first.abort(new Error('called off'))
  await settled()
  expect(begun).toEqual([10, 5])
  // A late end frees nothing twice.
  await end(10)
  await stuck
  const more = [begin(4), begin(6)]
  await settled()
  expect(begun).toEqual([10, 5, 4])
  for (const each of [5, 4, 6]) await end(each)
  await Promise.all([last, ...more])
})

test('a task that takes too long no longer counts', async () => {
  const { begun, begin, end } = observeBudget(1)
  const stuck = begin(90)
  const next = begin(80)
  while (begun.length < 2) await settled()
  await Promise.all([end(90), end(80), stuck, next])
})
