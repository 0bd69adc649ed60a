import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { onTestFinished, type TestContext, test } from 'vitest'
import { openPool } from '../src/store/postgres/pool.ts'
import { queryBuilder } from '../src/store/postgres/postgres.ts'
import { start } from '../test/support/processes/process.ts'
import { makeFolder } from '../test/support/processes/workspace.ts'
import { addressOf, setDefault } from '../test/support/servers/postgres.ts'
import { usePostgres, useS3 } from '../test/support/servers/use-servers.ts'
import { newWorld } from '../test/support/servers/worlds.ts'
import { type Outcome, tell } from './outcome.ts'
import { findPgBouncer, type PgBouncer, startPgBouncer } from './pgbouncer.ts'
import { underLoad } from './under-load.ts'
import { type Installation, newInstallation } from './worlds.ts'

const WORLD = 'PgBouncer, PostgreSQL and S3'
const TIMES = 5
const TRANSACTIONS = 2_000
const AT_ONCE = 20
const RIGHT = '10s, 10s, read committed'
const SETTINGS = `select pg_backend_pid() as pid, concat_ws(', ', current_setting('statement_timeout'),
  current_setting('idle_in_transaction_session_timeout'), current_setting('transaction_isolation')) as settings`

const postgres = usePostgres()
const s3 = useS3()

async function usePgBouncer(skip: TestContext['skip']): Promise<PgBouncer> {
  const path = (await findPgBouncer()) ?? skip('PgBouncer is not installed')
  const pooler = await startPgBouncer(path, postgres.port)
  onTestFinished(() => pooler.close())
  return pooler
}

function through({ port }: PgBouncer, address: string): string {
  return Object.assign(new URL(address), { port: String(port) }).href
}

/** Installations whose database is behind the pooler and has a stricter default isolation. */
function placesBehind(pooler: PgBouncer, onNew = (_address: string) => {}) {
  return async (more: Record<string, string>): Promise<Installation> => {
    const world = await newWorld(postgres, s3)
    const address = world['DATABASE_URL'] ?? ''
    await setDefault(address, `default_transaction_isolation = 'repeatable read'`)
    const pooled = through(pooler, address)
    onNew(pooled)
    return await newInstallation({ ...world, DATABASE_URL: pooled, DATABASE_TIMEOUT: '10s', ...more })
  }
}

test('PgBouncer is killed and started again', async ({ task, skip }) => {
  const pooler = await usePgBouncer(skip)
  const outcome = await underLoad(placesBehind(pooler), TIMES, async () => {
    await pooler.kill()
    await pooler.start()
  })
  tell(task, { world: WORLD, ...outcome })
})

test('the settings of every connection of PgBouncer, under load', async ({ task, skip }) => {
  const pooler = await usePgBouncer(skip)
  let address = ''
  const found = new Map<number, Set<string>>()
  const outcome = await underLoad(
    placesBehind(pooler, (pooled) => {
      address = pooled
    }),
    1,
    async () => {
      const pool = openPool(address, { connections: AT_ONCE, waitMs: 10_000, statementMs: 10_000 })
      const builder = queryBuilder(pool)
      const askAgain = async () => {
        for (let left = TRANSACTIONS / AT_ONCE; left > 0; left--) {
          const { rows } = await builder
            .transaction()
            .execute((transaction) =>
              sql.raw<{ pid: number; settings: string }>(SETTINGS).execute(transaction),
            )
          for (const { pid, settings } of rows) found.set(pid, (found.get(pid) ?? new Set()).add(settings))
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, askAgain))
      await pool.close()
    },
  )
  const wrong = [...found.values()].filter((seen) => seen.size !== 1 || !seen.has(RIGHT)).length
  const note = `${found.size} connections checked in ${TRANSACTIONS} transactions, ${wrong} with wrong settings`
  tell(task, { world: WORLD, ...outcome, failedReads: (outcome.failedReads ?? 0) + wrong, note })
})

test('the suites of the store and the queue', async ({ task, skip }) => {
  const pooler = await usePgBouncer(skip)
  const env = { TEST_DATABASE_URL: through(pooler, addressOf(postgres.port)) }
  const vitest = new URL('../node_modules/vitest/vitest.mjs', import.meta.url).pathname
  const report = join(await makeFolder(), 'report.json')
  const args = ['run', 'test/store', 'test/capture/queue', '--reporter=json', `--outputFile=${report}`]
  await start(process.execPath, [vitest, ...args], { env }).ended
  const { numPassedTests, numPendingTests, numFailedTests } = JSON.parse(
    await readFile(report, 'utf8'),
  ) as Counts
  const note = `${numPassedTests} passed, ${numPendingTests} skipped, ${numFailedTests} failed`
  const nothing: Omit<Outcome, 'world'> = { times: 1, acknowledged: 0, lost: 0, dangling: 0 }
  tell(task, { world: WORLD, ...nothing, failedReads: numFailedTests, note })
})

interface Counts {
  readonly numPassedTests: number
  readonly numPendingTests: number
  readonly numFailedTests: number
}
