import { expect, onTestFinished, test, vi } from 'vitest'
import { Standstill } from '../../src/capture/standstill.ts'

function stopTime() {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'], now: 1_700_000_000_000 })
  onTestFinished(() => void vi.useRealTimers())
  const standstill = new Standstill()
  onTestFinished(() => standstill.close())
  return standstill
}

test('a process that is merely late was not frozen', () => {
  const standstill = stopTime()
  const began = performance.now()
  vi.clearAllTimers()
  vi.advanceTimersByTime(2_500)
  expect(standstill.since(began)).toBe(false)
})

test('a process that was frozen knows it from then on', () => {
  const standstill = stopTime()
  const began = performance.now()
  vi.clearAllTimers()
  vi.advanceTimersByTime(30_000)
  const after = performance.now()
  expect([standstill.since(began), standstill.since(after)]).toEqual([true, false])
})
