import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import type { Store } from '../../src/store/store.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { makeProject } from '../support/store/results.ts'

const MEGABYTE = 1_000_000
/** A thread copies the log after four megabytes. A commit would do so after sixteen. */
const WRITTEN = 6

async function write({ templates }: Store, projectId: string): Promise<void> {
  for (let each = 0; each < WRITTEN; each++) {
    const request = JSON.stringify({ urls: ['x'.repeat(MEGABYTE)] })
    await templates.create({ projectId, templateId: randomUUID(), name: '', request, sealed: '', created: 1 })
  }
}

test('a thread copies the log into the database while the database is open', async () => {
  const path = join(await makeFolder(), 'proofsheet.db')
  const store = await openSqliteStore(path)
  onTestFinished(() => store.close())
  await write(store, await makeProject(store))
  await expect.poll(() => statSync(path).size, { timeout: 60_000 }).toBeGreaterThan(4 * MEGABYTE)
})

test('closing the database during a copy loses nothing and leaves no log', async () => {
  const path = join(await makeFolder(), 'proofsheet.db')
  const first = await openSqliteStore(path)
  const projectId = await makeProject(first)
  await write(first, projectId)
  await first.close()
  expect(statSync(`${path}-wal`, { throwIfNoEntry: false })).toBeUndefined()
  const second = await openSqliteStore(path)
  onTestFinished(() => second.close())
  expect(await second.templates.page(projectId, { limit: 9 })).toHaveLength(WRITTEN)
})
