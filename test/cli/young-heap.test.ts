import { expect, test } from 'vitest'
import { start } from '../support/processes/process.ts'

const MODULE = new URL('../../src/cli/serve/young-heap.ts', import.meta.url)

test('the young heap grows with the work, up to a limit', async () => {
  // A process begins with the smallest young heap that V8 knows: as after a quiet time.
  const code = `
    import { setImmediate as nextIteration } from 'node:timers/promises'
    import { YOUNG_HEAP, keepYoungHeap, youngHeap } from '${MODULE}'
    keepYoungHeap()
    const seen = [youngHeap() / YOUNG_HEAP]
    const kept = []
    for (let round = 0; round < 4_000; round++) {
      for (let each = 0; each < 2_000; each++) {
        const made = { each, more: [each, round] }
        if (each % 10 === 0) kept[(round * 200 + each / 10) % 20_000] = made
      }
      await nextIteration()
      seen.push(youngHeap() / YOUNG_HEAP)
    }
    console.log(JSON.stringify({ first: seen[0], last: seen.at(-1), most: Math.max(...seen) }))`
  const child = start(process.execPath, ['--input-type=module', '-e', code])
  await child.ended
  expect(child.stderr()).toBe('')
  const { first, last, most } = JSON.parse(child.stdout())
  expect(first).toBeLessThan(0.5)
  expect(last).toBeGreaterThanOrEqual(1)
  // Left to itself, V8 lets it grow to 4 times as much.
  expect(most).toBeLessThan(4)
})
