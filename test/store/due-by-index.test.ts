import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openPostgresStore } from '../../src/store/postgres/postgres.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import type { Store } from '../../src/store/store.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { asAdmin } from '../support/servers/postgres.ts'
import { usePostgres } from '../support/servers/use-servers.ts'
import { placeTables } from '../support/store/place-tables.ts'
import { makeProject } from '../support/store/results.ts'
import { seedPostgresSchedules, seedSchedules } from '../support/store/seed-schedules.ts'

// Due schedules are found by an index, however many there are. npm run bench -- schedules measures it.

const postgres = usePostgres()
const NOW = 1_800_000_000_000
const MANY = { count: 5_000, due: NOW }

/** Many scheduled roots, for PostgreSQL: it would scan a nearly empty table. */
const scheduledRoots = (projectId: string) =>
  `insert into roots (project_id, root_id, created, revision, job_count, digest, claimers)
     select '${projectId}', gen_random_uuid(), 1, 'r', 0, 'd', 0 from generate_series(1, 5000);
   insert into requests (project_id, root_id, version, marks, options, scheduled)
     select project_id, root_id, 1, '{}', '{"width":1,"height":1,"fullPage":false,"tags":[]}', ${NOW + 1_000_000} + row_number() over () from roots;
   analyze`

/** Every query that a timer makes when it looks. */
async function look({ schedules, scheduledRoots }: Store): Promise<void> {
  expect(await schedules.findNextDue()).toBe(NOW)
  expect(await schedules.findDue(NOW - 60_000, 50)).toEqual([])
  await scheduledRoots.findDue(NOW - 60_000, 50)
}

test('SQLite finds due schedules by an index, and reads no others', async () => {
  const path = await placeTables(join(await makeFolder(), 'store.db'))
  const store = await openSqliteStore(path)
  onTestFinished(() => store.close())
  seedSchedules(path, await makeProject(store), MANY)
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare')
  await look(store)
  const texts = prepare.mock.calls.map(([text]) => text).filter((text) => /\b(due|scheduled)\b/.test(text))
  prepare.mockRestore()
  expect(texts).toHaveLength(3)
  const database = new DatabaseSync(path)
  onTestFinished(() => database.close())
  for (const text of texts) {
    const plan = database
      .prepare(`explain query plan ${text}`)
      .all(...Array.from(text.matchAll(/\?/g), () => 1))
      .map((row) => String(row['detail']))
    const reads = plan.filter((detail) => /^(SCAN|SEARCH) "?(schedules|requests)"?\b/.test(detail))
    expect(reads.length).toBeGreaterThan(0)
    for (const detail of reads) expect(detail).toMatch(/INDEX (schedules_due|requests_scheduled)/)
    expect(plan.join()).not.toContain('TEMP B-TREE')
  }
})

test('PostgreSQL finds due schedules by an index, and sorts nothing', async () => {
  const url = await postgres.newDatabase()
  const store = await openPostgresStore(url, { connections: 2, waitMs: 60_000, statementMs: 60_000 })
  onTestFinished(() => store.close())
  const projectId = await makeProject(store)
  await seedPostgresSchedules(url, projectId, MANY)
  await asAdmin(url, scheduledRoots(projectId))
  const query = vi.spyOn(pg.Client.prototype, 'query')
  await look(store)
  const asked = query.mock.calls as unknown as [string | { text: string }, unknown[]?][]
  const texts = asked
    .map(([config]) => (typeof config === 'string' ? config : config.text))
    .filter((text) => /^select/i.test(text) && /\b(due|scheduled)\b/.test(text))
  query.mockRestore()
  expect(texts).toHaveLength(3)
  for (const text of texts) {
    const filled = text.replaceAll(/\$(\d+)/g, (_, number) => (number === '1' ? '1' : '50'))
    const rows = await asAdmin<{ 'QUERY PLAN': string }[]>(url, `explain ${filled}`)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toMatch(/Index (Only )?Scan using (schedules_due|requests_scheduled)/)
    expect(plan).not.toMatch(/Seq Scan on (schedules|requests)|Sort {2}\(/)
  }
})
