import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createKeptAnswer } from '../../src/egress/kept-answer.ts'

const RULES = { freshMs: 60_000, retryMs: 10_000, patienceMs: 3_000 }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Look-ups that are answered by the test. */
function openQuestion() {
  const asked: PromiseWithResolvers<string>[] = []
  const ask = createKeptAnswer(
    () => {
      const question = Promise.withResolvers<string>()
      asked.push(question)
      return question.promise
    },
    'none',
    RULES,
  )
  return { asked, ask }
}

test('an old answer is looked up again, and used until the new one arrives', async () => {
  const { asked, ask } = openQuestion()
  const first = [ask(), ask()]
  asked[0]?.resolve('one')
  expect(await Promise.all(first)).toEqual(['one', 'one'])
  await vi.advanceTimersByTimeAsync(RULES.freshMs - 1)
  expect([await ask(), asked.length]).toEqual(['one', 1])
  await vi.advanceTimersByTimeAsync(1)
  expect([await ask(), await ask(), asked.length]).toEqual(['one', 'one', 2])
  asked[1]?.resolve('two')
  await vi.advanceTimersByTimeAsync(0)
  expect([await ask(), asked.length]).toEqual(['two', 2])
})

test('a failure keeps the last answer, and the look-up is repeated after a while', async () => {
  const { asked, ask } = openQuestion()
  const first = ask()
  asked[0]?.reject(new Error('no'))
  expect([await first, await ask(), asked.length]).toEqual(['none', 'none', 1])
  await vi.advanceTimersByTimeAsync(RULES.retryMs)
  const second = ask()
  asked[1]?.resolve('two')
  expect(await second).toBe('two')
  await vi.advanceTimersByTimeAsync(RULES.freshMs)
  await ask()
  asked[2]?.reject(new Error('no'))
  await vi.advanceTimersByTimeAsync(0)
  expect([await ask(), asked.length]).toEqual(['two', 3])
})

test('a look-up that hangs delays only one request', async () => {
  const { asked, ask } = openQuestion()
  const first = ask()
  await vi.advanceTimersByTimeAsync(RULES.patienceMs)
  expect(await first).toBe('none')
  // The clock does not move here.
  expect([await ask(), asked.length]).toEqual(['none', 1])
  asked[0]?.resolve('late')
  await vi.advanceTimersByTimeAsync(0)
  expect([await ask(), vi.getTimerCount()]).toEqual(['late', 0])
})
