import { expect, onTestFinished, test, vi } from 'vitest'
import { Standstill } from '../../src/capture/standstill.ts'

function stopTime() {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'], now: 1_700_000_000_000 })
  onTestFinished(() => void vi.useRealTimers())
  const standstill = new Standstill()
  onTestFinished(() => standstill.close())
  return standstill
}

test('a process that is only late did not stand still', () => {
  const standstill = stopTime()
  const began = performance.now()
  vi.clearAllTimers()
  vi.advanceTimersByTime(2_500)
  expect(standstill.since(began)).toBe(false)
})

test('one that was frozen is told so, from then on', () => {
  const standstill = stopTime()
  const began = performance.now()
  vi.clearAllTimers()
  vi.advanceTimersByTime(30_000)
  const after = performance.now()
  expect([standstill.since(began), standstill.since(after)]).toEqual([true, false])
})
