import { expect, test } from 'vitest'
import { createProgress } from '../../src/cli/progress.ts'

function record(isTTY: boolean) {
  const written: string[] = []
  const clock = { now: 0 }
  const stream = { isTTY, write: (text: string) => written.push(text) > 0 }
  const progress = createProgress({ title: 'Importing', unit: 'roots', total: 200 }, stream, () => clock.now)
  return { progress, written, clock }
}

test('on a terminal: a bar with share, rate and time left, drawn a few times a second', () => {
  const { progress, written, clock } = record(true)
  for (let index = 0; index < 100; index++) {
    clock.now += 20
    progress.advance()
  }
  expect(written.length).toBeGreaterThan(10)
  expect(written.length).toBeLessThan(30)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what a terminal gets
  const last = written.at(-1)?.replace(/\u001b\[\d*[A-Za-z]/g, '')
  expect(last).toBe(`\rImporting ${'━'.repeat(28)}  50 %  100/200 roots  50/s  2 s left`)
  progress.say('results.ndjson:7: bad')
  expect(written.at(-2)).toBe('\r\u001b[2Kresults.ndjson:7: bad\n')
  progress.finish()
  expect(written.at(-1)).toBe('\r\u001b[2K')
})

test('elsewhere: plain lines, seldom', () => {
  const { progress, written, clock } = record(false)
  for (let index = 0; index < 100; index++) {
    clock.now += 120
    progress.advance()
  }
  progress.say('results.ndjson:7: bad')
  progress.finish()
  expect(written).toEqual([
    'Importing: 21 %  42/200 roots  8.3/s  19 s left\n',
    'Importing: 42 %  84/200 roots  8.3/s  14 s left\n',
    'results.ndjson:7: bad\n',
  ])
})
