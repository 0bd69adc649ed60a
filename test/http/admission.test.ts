import { setImmediate as nextIteration } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { Admission } from '../../src/http/rules/admission.ts'

const admit = (admission: Admission, client: string, begin: () => void) => {
  if (admission.mayBegin()) begin()
  else admission.waitInLine(client, begin)
}

test('requests that come together are begun a few at a time, by turns between clients', async () => {
  const admission = new Admission()
  const begun: string[] = []
  for (let times = 0; times < 200; times++) admit(admission, 'many', () => begun.push('many'))
  for (let times = 0; times < 3; times++) admit(admission, 'few', () => begun.push('few'))
  // What comes alone does not wait.
  expect(begun).toHaveLength(32)
  const counts = [begun.length]
  while (begun.length < 203) {
    await nextIteration()
    counts.push(begun.length - counts.reduce((sum, each) => sum + each))
  }
  expect(Math.max(...counts)).toBe(32)
  expect(begun.slice(32, 38)).toEqual(['many', 'few', 'many', 'few', 'many', 'few'])
})

test('a request is begun at once where no other has come', async () => {
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

test('no iteration of the event loop is asked for when nothing waits', async () => {
  const admission = new Admission()
  const iterations = vi.spyOn(globalThis, 'setImmediate')
  try {
    for (let times = 0; times < 10; times++) expect(admission.mayBegin()).toBe(true)
    expect(iterations).toHaveBeenCalledTimes(1)
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(iterations).toHaveBeenCalledTimes(1)
  } finally {
    iterations.mockRestore()
  }
})
