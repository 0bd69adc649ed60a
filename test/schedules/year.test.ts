import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { firstNext, nextOccurrence } from '../../src/schedules/occurrences.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { newSchedule } from '../store/schedules-suite.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { placeTables } from '../support/store/place-tables.ts'
import { BEGINS, ENDS, hourlyTimes, nightlyTimes, YEAR } from './berlin.ts'
import { runFor, SPREAD_MS } from './run-for.ts'

// The whole year with all its 9,125 roots in both databases: npm run faults -- schedule-year

const DAY = 24 * 3_600_000
const dayOf = (time: number) => Math.floor(time / DAY) * DAY

/** The times of a schedule, as the timer finds them one after the other. */
async function timesOf(cron: string): Promise<number[]> {
  const row = newSchedule('p', { cron, timezone: 'Europe/Berlin', every: undefined, created: YEAR.from - 1 })
  const stored = { changed: 0, revision: '', lastRoot: undefined, runs: 0, late: 0, skipped: 0 }
  const none = { lastSkipped: undefined, problem: undefined }
  const times: number[] = []
  let next = firstNext(row, YEAR.from - 1, SPREAD_MS)
  while (next !== undefined && next.due < YEAR.to) {
    const found = await nextOccurrence({ ...row, ...stored, ...none, next }, next.due, SPREAD_MS)
    if (found?.missed || found?.lateMs) throw new Error('a time that is not late misses nothing')
    times.push(found?.time ?? 0)
    next = found?.next
  }
  return times
}

test('an hourly and a nightly schedule in Berlin have the right times for a year, once each', async () => {
  expect(await timesOf('0 * * * *')).toEqual(hourlyTimes(YEAR))
  expect(await timesOf('30 2 * * *')).toEqual(nightlyTimes(YEAR))
})

test.each([
  ['daylight saving time begins', { from: dayOf(BEGINS) - 3 * DAY, to: dayOf(BEGINS) + 4 * DAY }],
  ['daylight saving time ends', { from: dayOf(ENDS) - 3 * DAY, to: dayOf(ENDS) + 4 * DAY }],
  ['the year ends', { from: YEAR.to - 2 * DAY, to: YEAR.to + DAY }],
])('around the day on which %s, they create the right roots, once each', async (_, span) => {
  const store = await openSqliteStore(await placeTables(join(await makeFolder(), 'store.db')))
  onTestFinished(() => store.close())
  const { hourly, nightly, figures } = await runFor(store, span)
  expect(hourly).toEqual(hourlyTimes(span))
  expect(nightly).toEqual(nightlyTimes(span))
  const made = hourly.length + nightly.length
  expect(figures).toMatchObject({ made, late: 0, missed: 0, skipped: 0, failed: 0 })
})
