import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { firstNext, MOST_MISSED, nextOccurrence } from '../../src/schedules/occurrences.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { newSchedule } from '../store/schedules-suite.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { placeTables } from '../support/store/place-tables.ts'
import { useClock } from './run-for.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 0, 1)

describe('the next occurrence', () => {
  const row = newSchedule('p', { scheduleId: 'ffffffff-0000', every: '1m', created: START })
  const stored = { changed: 0, revision: '', lastRoot: undefined, runs: 0, late: 0, skipped: 0 }
  const none = { lastSkipped: undefined, problem: undefined }
  const at = async (now: number, spreadMs = 0) => {
    const next = firstNext(row, START, spreadMs)
    return await nextOccurrence({ ...row, ...stored, ...none, next }, now, spreadMs)
  }
  const time = START + MINUTE

  test('is the next time, if it is at most a minute late', async () => {
    const next = { next: time + MINUTE, due: time + MINUTE }
    expect(await at(time)).toEqual({ time, missed: 0, lateMs: undefined, next })
    // Another process may have a clock that is behind.
    expect(await at(time - 5_000)).toMatchObject({ time, missed: 0, next })
    expect(await at(time + MINUTE)).toEqual({ time, missed: 0, lateMs: undefined, next })
  })

  test('is still created if it is late, and the missed ones are counted', async () => {
    const now = time + 10 * MINUTE + 1
    const next = { next: time + 11 * MINUTE, due: time + 11 * MINUTE }
    expect(await at(now)).toEqual({ time, missed: 10, lateMs: 10 * MINUTE + 1, next })
    expect(await at(time + 500 * MINUTE)).toMatchObject({ missed: MOST_MISSED })
  })

  test('keeps its offset within the spread, at most a tenth of the interval, even after downtime', async () => {
    const place = (await at(time, 30_000))?.next
    expect((place?.due ?? 0) - (place?.next ?? 0)).toBe(5_999)
    const late = (await at(time + 60 * MINUTE, 30_000))?.next
    expect((late?.due ?? 0) - (late?.next ?? 0)).toBe(5_999)
  })
})

test('a schedule whose times are unknown to this version reports a problem, is tried again later, and does not delay others', async () => {
  const store = await openSqliteStore(await placeTables(join(await makeFolder(), 'store.db')))
  onTestFinished(() => store.close())
  const { clock, projectId, runs, make, doDue } = await useClock(store, START)
  const scheduleId = randomUUID()
  const next = { next: START + MINUTE, due: START + MINUTE }
  // A newer version knows this time zone.
  const times = { cron: '* * * * *', timezone: 'Mars/Base', every: undefined }
  await store.schedules.create(newSchedule(projectId, { scheduleId, ...times, next }))
  const other = await make('other', { every: '1m' })
  clock.now = START + 2 * MINUTE
  expect(await doDue()).toBe(2)
  expect(runs.figures).toMatchObject({ made: 1, failed: 1 })
  expect(await store.schedules.find({ projectId, scheduleId })).toMatchObject({
    ...{ runs: 0, next: { next: next.next, due: clock.now + 5 * MINUTE } },
    problem: { at: next.next, detail: expect.stringMatching(/^its next time cannot be found: .*Mars\/Base/) },
  })
  expect(await store.schedules.find({ projectId, scheduleId: other })).toMatchObject({ runs: 1 })
})
