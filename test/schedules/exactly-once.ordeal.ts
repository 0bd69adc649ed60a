import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../support/processes/workspace.ts'
import { KEYS } from '../support/servers/keys.ts'
import { useDatabases } from '../support/servers/use-servers.ts'
import { passOrdeal } from './exactly-once.ts'

const databases = useDatabases()

// The same for two minutes, with more of everything: npm run faults -- schedules

test('three processes on PostgreSQL, killed, frozen and with different clocks, create one root for every time of a schedule', async () => {
  const place = { DATABASE_URL: await databases.newDatabase(), DATA_DIR: await makeFolder(), ...KEYS }
  const ordeal = { place, clocks: [0, 5_000, -1_500], schedules: 20, every: 2, seconds: 8 }
  const { wrong, made } = await passOrdeal(ordeal)
  expect(wrong).toEqual([])
  expect(made).toBeGreaterThan(20)
})

test('two processes on one SQLite file create one root for every time of a schedule', async () => {
  const place = { DATA_DIR: join(await makeFolder(), 'data') }
  const { wrong, made } = await passOrdeal({ place, clocks: [0, 1_500], schedules: 20, every: 2, seconds: 8 })
  expect(wrong).toEqual([])
  expect(made).toBeGreaterThan(20)
})
