import { expect, test } from 'vitest'
import { NoAnswerError, Patience } from '../../src/client/patience.ts'

test('the last pause ends after the patience, even if its timer fires a little early', () => {
  const patience = new Patience(0.5)
  patience.begin()
  patience.bear(new NoAnswerError('http://127.0.0.1:9', new Error('refused')))
  expect(Math.trunc(patience.nextPause(10_000))).toBeGreaterThanOrEqual(500)
})
