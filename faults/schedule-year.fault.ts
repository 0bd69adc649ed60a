import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../src/config/config.ts'
import { openStorage } from '../src/service/storage.ts'
import { hourlyTimes, nightlyTimes, YEAR } from '../test/schedules/berlin.ts'
import { runFor } from '../test/schedules/run-for.ts'
import { makeFolder } from '../test/support/processes/workspace.ts'
import { KEYS } from '../test/support/servers/keys.ts'
import { usePostgres } from '../test/support/servers/use-servers.ts'
import { tell } from './outcome.ts'

const postgres = usePostgres()

const WORLDS = [
  ['SQLite', async () => ({ DATA_DIR: join(await makeFolder(), 'data') })],
  [
    'PostgreSQL',
    async () => ({ DATABASE_URL: await postgres.newDatabase(), DATA_DIR: await makeFolder(), ...KEYS }),
  ],
] as const

for (const [world, newPlace] of WORLDS) {
  test(`a year of an hourly and a nightly schedule in Berlin, ${world}`, async ({ task }) => {
    const { store, close } = await openStorage(readConfig(await newPlace(), { serving: false }))
    onTestFinished(close)
    const { hourly, nightly } = await runFor(store, YEAR)
    expect(hourly).toEqual(hourlyTimes(YEAR))
    expect(nightly).toEqual(nightlyTimes(YEAR))
    const made = hourly.length + nightly.length
    tell(task, { ...{ world, times: 2, acknowledged: made, lost: 0, dangling: 0 }, note: `${made} roots` })
  })
}
