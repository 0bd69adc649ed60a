import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { asAdmin, dropDatabase } from '../support/postgres.ts'
import type { SharedPostgres } from '../support/shared-postgres.ts'
import { makeFolder } from '../support/workspace.ts'
import type { Place, QueueDriver } from './queue-suite.ts'

export const LIMITS = { connections: 10, waitMs: 5_000, statementMs: 10_000 }
const SIGNING_KEY = `key:${Buffer.alloc(32, 1).toString('base64')}`
/** Where pg-boss keeps its tables, for a store in `public`. */
export const SCHEMA = 'proofsheet_queue'

export const addressOf = (place: Place): string => place['DATABASE_URL'] ?? ''

export function bossDriver(postgres: SharedPostgres): QueueDriver {
  return {
    async newPlace() {
      const url = await postgres.newDatabase()
      onTestFinished(() => dropDatabase(url))
      const folder = { DATA_DIR: join(await makeFolder(), 'data') }
      return { DATABASE_URL: url, ...folder, SIGNING_KEYS: SIGNING_KEY }
    },
    async passTime(place) {
      await asAdmin(addressOf(place), `update ${SCHEMA}.job set start_after = now() where state = 'retry'`)
    },
    clock: Date.now,
  }
}
