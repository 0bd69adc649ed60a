import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { openPool } from '../../src/store/postgres/pool.ts'
import { createPostgresReads } from '../../src/store/postgres/reads.ts'
import { asAdmin, dropDatabase } from '../support/servers/postgres.ts'
import { usePostgres } from '../support/servers/use-servers.ts'

const postgres = usePostgres()

test('a look-up is prepared once per connection, and works after another version changes the tables', async () => {
  const url = await postgres.newDatabase()
  onTestFinished(() => dropDatabase(url))
  const pool = openPool(url, { connections: 1, waitMs: 60_000, statementMs: 60_000 })
  onTestFinished(() => pool.close())
  const reads = createPostgresReads(pool.query)
  const lookUp = () => reads.findRoots([{ projectId: randomUUID(), rootId: randomUUID() }])
  for (let times = 0; times < 8; times++) expect(await lookUp()).toEqual([undefined])
  const plans = 'select name, (generic_plans + custom_plans)::int from pg_prepared_statements'
  expect(await pool.query(plans)).toEqual([['find_root', 8]])
  await asAdmin(url, 'alter table roots add column added_later text')
  expect(await lookUp()).toEqual([undefined])
})
