import { expect, test } from 'vitest'
import { AppError } from '../src/errors.ts'

test('only an error that is logged has a stack trace', () => {
  const before = Error.stackTraceLimit
  expect(new AppError('rate_limited').stack).not.toContain('    at ')
  expect(new AppError('internal').stack).toContain('errors.test.ts')
  expect([Error.stackTraceLimit, before > 0]).toEqual([before, true])
})
