import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../test/support/processes/workspace.ts'
import { KEYS } from '../test/support/servers/keys.ts'
import { usePostgres } from '../test/support/servers/use-servers.ts'
import { EVENTS_OF_A_ROOT, passOrdeal } from '../test/webhooks/ordeal.ts'
import { tell } from './outcome.ts'

const postgres = usePostgres()
const EVENTS = 1_000
const ORDEAL = { roots: EVENTS / EVENTS_OF_A_ROOT, kills: 100, killWithin: 4_000, gone: 5 } as const

const HOUR_MS = 3_600_000
const JUMPING = {
  ...{ roots: 60, kills: 20, killWithin: 3_000, gone: 0 },
  jumps: [2, 0, 8 * 24, -2, 0, 400 * 24].map((hours) => hours * HOUR_MS),
}

const WORLDS = [
  ['one process, SQLite', 1, async () => ({ DATA_DIR: join(await makeFolder(), 'data') })],
  [
    'two processes, PostgreSQL',
    2,
    async () => ({ DATABASE_URL: await postgres.newDatabase(), DATA_DIR: await makeFolder(), ...KEYS }),
  ],
] as const

for (const [world, processes, newPlace] of WORLDS) {
  test(`webhooks to a receiver that fails in every way, kill -9 every few seconds, ${world}`, async ({
    task,
  }) => {
    const account = await passOrdeal({ ...ORDEAL, processes, place: await newPlace() })
    const { kills, events, lost, forged, twice, faults } = account
    const told = Object.entries(faults).map(([name, times]) => `${name} ${times}`)
    tell(task, {
      ...{ world, times: kills, acknowledged: events, lost: lost.length, dangling: 0 },
      note: `${twice} events arrived more than once; ${told.join(', ')}`,
    })
    expect(forged).toBe(0)
  })

  test(`the same while the clock jumps by hours and days, ahead and back, ${world}`, async ({ task }) => {
    const place = await newPlace()
    // A receiver that answers 410 is mended by time, which means nothing here; nor do receivers accept such timestamps.
    const { kills, events, lost, twice } = await passOrdeal({ ...JUMPING, processes, place })
    tell(task, {
      ...{ world, times: kills, acknowledged: events, lost: lost.length, dangling: 0 },
      note: `${twice} events arrived more than once`,
    })
  })
}
