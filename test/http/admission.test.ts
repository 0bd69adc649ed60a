import { setImmediate as nextIteration } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { Admission } from '../../src/http/rules/admission.ts'

const admit = (admission: Admission, client: string, begin: () => void) => {
  if (admission.mayBegin()) begin()
  else admission.waitInLine(client, begin)
}

test('requests that arrive together are begun a few at a time, and clients take turns', async () => {
  const admission = new Admission()
  const begun: string[] = []
  for (let times = 0; times < 200; times++) admit(admission, 'many', () => begun.push('many'))
  for (let times = 0; times < 3; times++) admit(admission, 'few', () => begun.push('few'))
  // A request that arrives alone does not wait.
  expect(begun).toHaveLength(32)
  const counts = [begun.length]
  while (begun.length < 203) {
    await nextIteration()
    counts.push(begun.length - counts.reduce((sum, each) => sum + each))
  }
  expect(Math.max(...counts)).toBe(32)
  expect(begun.slice(32, 38)).toEqual(['many', 'few', 'many', 'few', 'many', 'few'])
})

test('a request that arrives alone is begun at once', async () => {
  const admission = new Admission()
  for (let times = 0; times < 80; times++) {
    let isBegun = false
    admit(admission, 'one', () => {
      isBegun = true
    })
    expect(isBegun).toBe(true)
    await nextIteration()
    await nextIteration()
  }
})

test('another iteration of the event loop is awaited only while requests wait', () => {
  const awaited: (() => void)[] = []
  // All in one iteration: nothing else in this process can request another one meanwhile.
  const setImmediate_ = vi
    .spyOn(globalThis, 'setImmediate')
    .mockImplementation(((then: () => void) => awaited.push(then)) as unknown as typeof setImmediate)
  try {
    const admission = new Admission()
    let begun = 0
    const arrive = (requests: number) => {
      for (let times = 0; times < requests; times++) admit(admission, 'one', () => begun++)
    }
    arrive(10)
    expect([begun, awaited.length]).toEqual([10, 1])
    awaited.shift()?.()
    expect(awaited).toHaveLength(0)
    arrive(70)
    awaited.shift()?.()
    expect([begun, awaited.length]).toEqual([74, 1])
    awaited.shift()?.()
    expect([begun, awaited.length]).toEqual([80, 0])
  } finally {
    setImmediate_.mockRestore()
  }
})
