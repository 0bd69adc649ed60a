import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { whenClosed } from '../../src/http/answers/when-closed.ts'

const answer = (destroyed = false) =>
  Object.assign(new EventEmitter(), { destroyed }) as unknown as ServerResponse

test('the signal of an answer that is already closed is aborted at once', () => {
  expect(whenClosed(answer(true)).aborted).toBe(true)
})

test('the signals of answers that close together are aborted a few per iteration of the event loop, in order', async () => {
  const answers = Array.from({ length: 500 }, () => answer())
  const signals = answers.map(whenClosed)
  for (const each of answers) each.emit('close')
  const counts = [0]
  for (let iteration = 0; iteration < 100 && counts.at(-1) !== 500; iteration++) {
    await nextIteration()
    const aborted = signals.filter((signal) => signal.aborted).length
    expect(signals.slice(0, aborted).every((signal) => signal.aborted)).toBe(true)
    counts.push(aborted)
  }
  const steps = counts.slice(1).map((count, index) => count - (counts[index] ?? 0))
  expect(counts.at(-1)).toBe(500)
  expect(Math.max(...steps)).toBeLessThanOrEqual(50)
})
