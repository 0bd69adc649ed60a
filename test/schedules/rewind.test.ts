import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openTimer } from '../../src/schedules/timer.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import type { Store } from '../../src/store/store.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { until } from '../support/runner/until.ts'
import { usePostgres } from '../support/servers/use-servers.ts'
import { useClock } from './run-for.ts'
import { SILENT } from './use-schedules.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 0, 1)
const JUMP = 8 * 24 * HOUR
const postgres = usePostgres()
const STORES: [string, () => Promise<Store>][] = [
  ['SQLite', async () => await openSqliteStore(join(await makeFolder(), 'store.db'))],
  [
    'PostgreSQL',
    async () => {
      const store = await openPostgresStore(await postgres.newDatabase(), {
        ...{ connections: 2, waitMs: 60_000, statementMs: 60_000 },
      })
      // The clock of the server is not moved here: that of the test counts.
      return Object.assign(store, { schedules: withoutSkew(store) })
    },
  ],
]

function withoutSkew({ schedules }: Store): Store['schedules'] {
  return new Proxy(schedules, {
    get: (target, name) =>
      name === 'timeAt'
        ? async (now: number) => now
        : Reflect.get(target, name as keyof Store['schedules']).bind(target),
  })
}

describe.each(STORES)('%s: after its clock was eight days ahead', (_name, openStore) => {
  test('a schedule continues with its first time after now, and no time has two roots', async () => {
    const store = await openStore()
    onTestFinished(() => store.close())
    const { clock, projectId, runs, make } = await useClock(store, NOW)
    const scheduleId = await make('hourly', { every: '1h' })
    const nightly = await make('nightly', { cron: '0 0 * * *' })
    const timer = openTimer(store, { runs, log: SILENT, clock: () => clock.now, lookMs: 20 })
    onTestFinished(() => timer.close())
    const find = async (id = scheduleId) => {
      const found = await store.schedules.find({ projectId, scheduleId: id })
      if (!found?.next) throw new Error('the schedule has no next time')
      return { next: found.next.next, runs: found.runs }
    }
    const runsAt = async (now: number, count: number) => {
      clock.now = now
      timer.wake()
      await until(async () => (await find()).runs === count, `${count} roots`)
    }
    await runsAt(NOW + HOUR + 60_000, 1)
    await runsAt(NOW + JUMP + 60_000, 2)
    expect((await find()).next).toBe(NOW + JUMP + HOUR)
    await until(async () => (await find(nightly)).runs === 1, 'the nightly one runs')

    clock.now = NOW + 2 * HOUR - 60_000
    timer.wake()
    await until(async () => (await find()).next === NOW + 2 * HOUR, 'it is moved back')
    await until(async () => (await find(nightly)).next === NOW + 24 * HOUR, 'the nightly one is moved back')
    // This time already has its root, which was created during the jump.
    clock.now = NOW + 2 * HOUR + 30_000
    timer.wake()
    await until(async () => (await find()).next === NOW + 3 * HOUR, 'it goes on')
    expect((await find()).runs).toBe(2)
    await runsAt(NOW + 3 * HOUR + 30_000, 3)
    expect((await find()).next).toBe(NOW + 4 * HOUR)
  })
})
