import { join } from 'node:path'
import { test } from 'vitest'
import { passOrdeal } from '../test/schedules/exactly-once.ts'
import { makeFolder } from '../test/support/processes/workspace.ts'
import { KEYS } from '../test/support/servers/keys.ts'
import { usePostgres } from '../test/support/servers/use-servers.ts'
import { tell } from './outcome.ts'

const postgres = usePostgres()
const ORDEAL = { schedules: 200, every: 6, seconds: 120 }

const WORLDS = [
  [
    'three processes, PostgreSQL',
    [0, 5_000, -1_500],
    async () => ({ DATABASE_URL: await postgres.newDatabase(), DATA_DIR: await makeFolder(), ...KEYS }),
  ],
  ['two processes, SQLite', [0, 1_500], async () => ({ DATA_DIR: join(await makeFolder(), 'data') })],
] as const

for (const [world, clocks, newPlace] of WORLDS) {
  test(`200 schedules every 6 s, processes killed and frozen at random, clocks apart, ${world}`, async ({
    task,
  }) => {
    const account = await passOrdeal({ ...ORDEAL, clocks, place: await newPlace() })
    const { kills, freezes, due, made, missed, skipped, wrong } = account
    tell(task, {
      ...{ world, times: kills + freezes, acknowledged: due, lost: wrong.length, dangling: 0 },
      note: `${kills} kills, ${freezes} freezes; ${made} roots, ${missed} times missed, ${skipped} skipped`,
    })
  })
}
