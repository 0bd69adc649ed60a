import { expect, test } from 'vitest'
import { createPixelBudget } from '../../src/camera/pixel-budget.ts'

const FOREVER = new AbortController().signal
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Tasks that say when they begin, and end when they are told. */
function observeBudget(holdMs = 1_000_000) {
  const withinBudget = createPixelBudget({ pixels: 10, small: 2 })
  const begun: number[] = []
  const ends = new Map<number, () => void>()
  const begin = (pixels: number, signal = FOREVER) =>
    withinBudget(pixels, { signal, holdMs }, async () => {
      begun.push(pixels)
      await new Promise<void>((resolve) => ends.set(pixels, resolve))
    })
  const end = async (pixels: number) => {
    ends.get(pixels)?.()
    await settled()
  }
  return { begun, begin, end }
}

test('tasks that fit start in their order; one larger than the budget runs alone; small ones do not wait', async () => {
  const { begun, begin, end } = observeBudget()
  const all = [6, 4, 90, 3, 2].map((pixels) => begin(pixels))
  await settled()
  expect(begun).toEqual([2, 6, 4])
  await end(6)
  // The last one would fit, and waits for its turn.
  expect(begun).toEqual([2, 6, 4])
  await end(4)
  expect(begun).toEqual([2, 6, 4, 90])
  await end(90)
  expect(begun).toEqual([2, 6, 4, 90, 3])
  for (const last of [3, 2]) await end(last)
  await Promise.all(all)
})

test('an aborted task gives its pixels back, running or waiting', async () => {
  const { begun, begin, end } = observeBudget()
  const [first, second] = [new AbortController(), new AbortController()]
  const stuck = begin(90, first.signal)
  const waits = begin(80, second.signal)
  const last = begin(5)
  second.abort(new Error('called off'))
  await expect(waits).rejects.toThrow('called off')
  first.abort(new Error('called off'))
  await settled()
  expect(begun).toEqual([90, 5])
  // Its end, however late, frees nothing twice.
  await end(90)
  await stuck
  const more = [begin(4), begin(6)]
  await settled()
  expect(begun).toEqual([90, 5, 4])
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
