import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Deadline, drawMsOf } from '../../src/camera/deadline.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const SMALL = { width: 1_920, height: 1_080 }
const LARGEST = { width: 4_096, height: 16_384 }

function open(milliseconds: number) {
  const onOver = vi.fn()
  return { onOver, deadline: new Deadline(milliseconds, onOver) }
}

test('a picture adds time in proportion to its pixels, and none up to 1920 × 1080', () => {
  expect(drawMsOf(SMALL)).toBe(0)
  expect(drawMsOf({ width: 2_000, height: 2_000 })).toBe(Math.ceil((4 - 2.0736) * 3_000))
  expect(drawMsOf(LARGEST)).toBe(Math.ceil((67.108864 - 2.0736) * 3_000))
})

test('drawing time is added to the deadline once, and the largest picture counts', () => {
  const { onOver, deadline } = open(1_000)
  for (const size of [SMALL, { width: 3_000, height: 3_000 }, LARGEST, LARGEST, SMALL])
    deadline.allowFor(size)
  expect(deadline.more).toBe(drawMsOf(LARGEST))
  vi.advanceTimersByTime(999 + drawMsOf(LARGEST))
  expect(onOver).not.toHaveBeenCalled()
  vi.advanceTimersByTime(2)
  expect(onOver).toHaveBeenCalledOnce()
})

test('waiting for other captures does not count', async () => {
  const { onOver, deadline } = open(1_000)
  vi.advanceTimersByTime(600)
  const { promise, resolve } = Promise.withResolvers<void>()
  const waiting = deadline.without(promise)
  vi.advanceTimersByTime(3_600_000)
  resolve()
  await waiting
  vi.advanceTimersByTime(399)
  expect(onOver).not.toHaveBeenCalled()
  vi.advanceTimersByTime(2)
  expect(onOver).toHaveBeenCalledOnce()
})

test('the deadline of a page that ends or is aborted while it waits never fires', async () => {
  const { onOver, deadline } = open(1_000)
  const { promise, reject } = Promise.withResolvers<void>()
  const waiting = deadline.without(promise)
  deadline.clear()
  reject(new Error('called off'))
  await expect(waiting).rejects.toThrow('called off')
  deadline.allowFor(LARGEST)
  vi.advanceTimersByTime(3_600_000)
  expect(onOver).not.toHaveBeenCalled()
})
