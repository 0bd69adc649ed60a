import { expect, test } from 'vitest'
import { createProgress } from '../../src/cli/progress.ts'

function record(isTTY: boolean, columns = 100) {
  const written: string[] = []
  const clock = { now: 0 }
  const stream = { isTTY, columns, write: (text: string) => written.push(text) > 0 }
  const progress = createProgress({ title: 'Importing', unit: 'roots', total: 200 }, stream, () => clock.now)
  return { progress, written, clock }
}

test('on a terminal: a bar with percentage, rate and time left, drawn a few times a second', () => {
  const { progress, written, clock } = record(true)
  for (let index = 0; index < 100; index++) {
    clock.now += 20
    progress.advance(1)
  }
  expect(written.length).toBeGreaterThan(10)
  expect(written.length).toBeLessThan(30)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what a terminal gets
  const last = written.at(-1)?.replace(/\u001b\[\d*[A-Za-z]/g, '')
  expect(last).toBe(`\rImporting ${'━'.repeat(28)}  50 %  100/200 roots  50/s  2 s left`)
  progress.interrupt(() => written.push('results.ndjson:7: bad\n'))
  expect(written.slice(-3, -1)).toEqual(['\r\u001b[2K', 'results.ndjson:7: bad\n'])
  progress.finish()
  expect(written.at(-1)).toBe('\r\u001b[2K')
})

test('elsewhere: plain lines, rarely', () => {
  const { progress, written, clock } = record(false)
  for (let index = 0; index < 100; index++) {
    clock.now += 120
    progress.advance(1)
  }
  progress.interrupt(() => written.push('results.ndjson:7: bad\n'))
  progress.finish()
  expect(written).toEqual([
    'Importing: 21 %  42/200 roots  8.3/s  19 s left\n',
    'Importing: 42 %  84/200 roots  8.3/s  14 s left\n',
    'results.ndjson:7: bad\n',
  ])
})

test.each([20, 40, 60, 80])('the bar fits into a terminal of %i columns', (columns) => {
  const { progress, written, clock } = record(true, columns)
  for (let index = 0; index < 200; index++) {
    clock.now += 200
    progress.advance(1)
  }
  expect(written.length).toBeGreaterThan(100)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what a terminal gets
  const widths = written.map((text) => text.replace(/\u001b\[\d*[A-Za-z]|\r/g, '').length)
  expect(Math.max(...widths)).toBeLessThan(columns)
})
