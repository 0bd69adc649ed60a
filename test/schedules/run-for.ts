import { ScheduleRuns } from '../../src/schedules/runs.ts'
import { Schedules } from '../../src/schedules/schedules.ts'
import { doDue } from '../../src/schedules/timer.ts'
import { createKeyRing } from '../../src/secrets/key-ring.ts'
import { loadOrMakeSecretKeys } from '../../src/secrets/secret-keys.ts'
import type { Store } from '../../src/store/store.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { makeProject } from '../support/store/results.ts'
import { LIMITS, REQUEST, SILENT } from './use-schedules.ts'

export const SPREAD_MS = 30_000

/** Schedules of a new project, and a clock that is moved by hand. */
export async function useClock(store: Store, start: number) {
  const clock = { now: start }
  const projectId = await makeProject(store)
  const ring = createKeyRing(await loadOrMakeSecretKeys(await makeFolder()))
  const options = { ring, limits: LIMITS, clock: () => clock.now, spreadMs: SPREAD_MS }
  const runs = new ScheduleRuns(store, {
    ...{ ...options, log: SILENT, mostWaiting: 1_000_000 },
    findTemplate: async () => undefined,
    onQueued: () => {},
  })
  const schedules = new Schedules(store, {
    ...{ ...options, runs, wake: () => {} },
    limits: { ...LIMITS, scheduleIntervalMs: 60_000, schedules: 9 },
  })
  return {
    ...{ clock, projectId, runs },
    async make(name: string, times: object): Promise<string> {
      const body = { name, ...times, overlap: 'run', request: REQUEST }
      return (await schedules.create(projectId, body)).scheduleId
    },
    doDue: async () => await doDue(store, { runs, log: SILENT, clock: () => clock.now, rests: false }),
  }
}

/** The times at which two schedules in Berlin have created a root: one every hour, and one at 02:30. */
export async function runFor(store: Store, { from, to }: { from: number; to: number }) {
  const { clock, projectId, runs, make, doDue } = await useClock(store, from - 1)
  const ids = {
    hourly: await make('hourly', { cron: '0 * * * *', timezone: 'Europe/Berlin' }),
    nightly: await make('nightly', { cron: '30 2 * * *', timezone: 'Europe/Berlin' }),
  }
  for (;;) {
    const due = await store.schedules.findNextDue()
    if (due === undefined || due >= to) break
    clock.now = due
    await doDue()
    // A second process that has read the same finds nothing left to do.
    if (runs.figures.made % 100 === 0) await doDue()
  }
  for (const scheduleId of Object.values(ids)) await store.schedules.remove({ projectId, scheduleId })
  const made = await occurrencesOf(store, projectId)
  const timesOf = (id: string) => (made.get(id) ?? []).toSorted((a, b) => a - b)
  return { hourly: timesOf(ids.hourly), nightly: timesOf(ids.nightly), figures: runs.figures }
}

async function occurrencesOf(store: Store, projectId: string): Promise<Map<string, number[]>> {
  const made = new Map<string, number[]>()
  for (let after: { created: number; rootId: string } | undefined; ; ) {
    const page = await store.pageRoots(projectId, { after, limit: 1_000 })
    const rootIds = page.map(({ rootId }) => rootId)
    for (const { origin } of (await store.browsing.requestsOf(projectId, rootIds)).values()) {
      const { scheduleId = '', occurrence = 0 } = origin?.schedule ?? {}
      made.set(scheduleId, [...(made.get(scheduleId) ?? []), occurrence])
    }
    after = page.at(-1)
    if (page.length < 1_000) return made
  }
}
