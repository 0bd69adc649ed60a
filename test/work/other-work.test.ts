import { readFile } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { otherWork } from '../../src/work/other-work.ts'

const iteration = () => performance.nodeTiming.uvMetricsInfo.loopCount

test('work started by reading a file continues in another iteration of the event loop', async () => {
  const [before, after] = await new Promise<[number, number]>((resolve) => {
    readFile(import.meta.filename, async () => {
      const begun = iteration()
      await otherWork()
      resolve([begun, iteration()])
    })
  })
  expect(after).toBeGreaterThan(before)
})
