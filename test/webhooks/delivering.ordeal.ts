import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../support/processes/workspace.ts'
import { KEYS } from '../support/servers/keys.ts'
import { useDatabases } from '../support/servers/use-servers.ts'
import { passOrdeal } from './ordeal.ts'

const databases = useDatabases()

// The same for 1,000 events: npm run faults -- webhooks

const ORDEAL = { roots: 10, kills: 4, killWithin: 1_000, gone: 1 } as const

test('every event arrives, despite a receiver that fails in every way and a process that is killed, with SQLite', async () => {
  const place = { DATA_DIR: join(await makeFolder(), 'data') }
  const { kills, lost, forged } = await passOrdeal({ ...ORDEAL, place, processes: 1 })
  expect({ lost, forged }).toEqual({ lost: [], forged: 0 })
  expect(kills).toBeGreaterThan(0)
})

test('every event arrives with two processes on PostgreSQL, too', async () => {
  const place = { DATABASE_URL: await databases.newDatabase(), DATA_DIR: await makeFolder(), ...KEYS }
  const { kills, lost, forged } = await passOrdeal({ ...ORDEAL, place, processes: 2 })
  expect({ lost, forged }).toEqual({ lost: [], forged: 0 })
  expect(kills).toBeGreaterThan(0)
})
