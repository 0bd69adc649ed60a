import { setImmediate as nextIteration } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createAdmission } from '../../src/http/rules/admission.ts'

test('requests that come together are begun a few at a time, by turns between clients', async () => {
  const admit = createAdmission()
  const begun: string[] = []
  for (let times = 0; times < 100; times++) admit('many', () => begun.push('many'))
  for (let times = 0; times < 3; times++) admit('few', () => begun.push('few'))
  // What comes alone does not wait.
  expect(begun).toHaveLength(16)
  const counts = [begun.length]
  while (begun.length < 103) {
    await nextIteration()
    counts.push(begun.length - counts.reduce((sum, each) => sum + each))
  }
  expect(Math.max(...counts)).toBe(16)
  expect(begun.slice(16, 22)).toEqual(['many', 'few', 'many', 'few', 'many', 'few'])
})

test('a request is begun at once where no other has come', async () => {
  const admit = createAdmission()
  for (let times = 0; times < 40; times++) {
    let isBegun = false
    admit('one', () => {
      isBegun = true
    })
    expect(isBegun).toBe(true)
    await nextIteration()
    await nextIteration()
  }
})
