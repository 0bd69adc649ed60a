import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { doDue } from '../../src/schedules/do-due.ts'
import { ScheduleRuns } from '../../src/schedules/runs.ts'
import { Schedules } from '../../src/schedules/schedules.ts'
import { createKeyRing } from '../../src/secrets/key-ring.ts'
import { loadOrMakeSecretKeys } from '../../src/secrets/secret-keys.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { placeTables } from '../support/store/place-tables.ts'
import { makeProject } from '../support/store/results.ts'
import { LIMITS, REQUEST, SILENT } from './use-schedules.ts'

const HOUR = 3_600_000
const START = Date.UTC(2026, 0, 1)
const END = Date.UTC(2027, 0, 1)
/** Of daylight saving time in Berlin, in 2026. */
const [BEGINS, ENDS] = [Date.UTC(2026, 2, 29, 1), Date.UTC(2026, 9, 25, 1)]

/** 02:30 in Berlin. On the day that has no 02:30, right after the change; on the day that has two, the first. */
function nightlyTimes(): number[] {
  const days = Array.from({ length: 365 }, (_, day) => Date.UTC(2026, 0, 1 + day))
  return days.map((day) => {
    const winter = day + 1.5 * HOUR
    const summer = day + 0.5 * HOUR
    if (day === Date.UTC(2026, 2, 29)) return BEGINS
    return winter >= BEGINS && summer < ENDS ? summer : winter
  })
}

test('a year of an hourly and a nightly schedule in Berlin: the right roots, once each', async () => {
  const store = await openSqliteStore(await placeTables(join(await makeFolder(), 'store.db')))
  onTestFinished(() => store.close())
  const projectId = await makeProject(store)
  let now = START - 1
  const clock = () => now
  const ring = createKeyRing(await loadOrMakeSecretKeys(await makeFolder()))
  const runs = new ScheduleRuns(store, {
    ...{ ring, limits: LIMITS, log: SILENT, clock, spreadMs: 30_000, mostWaiting: 1_000_000 },
    findTemplate: async () => undefined,
    onQueued: () => {},
  })
  const schedules = new Schedules(store, {
    ...{ runs, ring, limits: LIMITS, clock, spreadMs: 30_000, minIntervalMs: 60_000, most: 9 },
    ...{ wake: () => {}, hasTemplate: async () => false },
  })
  const make = async (name: string, cron: string) => {
    const body = { name, cron, timezone: 'Europe/Berlin', overlap: 'run', request: REQUEST }
    return (await schedules.create(projectId, body)).scheduleId
  }
  const hourly = await make('hourly', '0 * * * *')
  const nightly = await make('nightly', '30 2 * * *')
  for (;;) {
    const due = await store.schedules.findNextDue()
    if (due === undefined || due >= END) break
    now = due
    await doDue(store, { runs, log: SILENT, clock, rests: false })
    // A second process that has read the same finds nothing left to do.
    if (runs.figures.made % 500 === 0) await doDue(store, { runs, log: SILENT, clock, rests: false })
  }
  const roots: string[] = []
  for (let after: { created: number; rootId: string } | undefined; ; ) {
    const page = await store.pageRoots(projectId, { after, limit: 1_000 })
    roots.push(...page.map(({ rootId }) => rootId))
    after = page.at(-1)
    if (page.length < 1_000) break
  }
  const made = new Map<string, number[]>([hourly, nightly].map((id) => [id, []]))
  for (let from = 0; from < roots.length; from += 1_000) {
    const summaries = await store.browsing.requestsOf(projectId, roots.slice(from, from + 1_000))
    for (const { origin } of summaries.values()) {
      expect(origin?.schedule).not.toHaveProperty('missed')
      made.get(origin?.schedule?.scheduleId ?? '')?.push(origin?.schedule?.occurrence ?? 0)
    }
  }
  const sorted = (id: string) => made.get(id)?.toSorted((a, b) => a - b)
  expect(sorted(nightly)).toEqual(nightlyTimes())
  expect(sorted(hourly)).toEqual(Array.from({ length: 365 * 24 }, (_, hour) => START + hour * HOUR))
  expect(runs.figures).toMatchObject({ made: 365 * 25, late: 0, missed: 0, skipped: 0, failed: 0 })
})
