import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { requireMatching } from '../../src/service/check-storages.ts'
import { openStorage } from '../../src/service/storage.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { serveProcess } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { seedRows } from '../support/store/seed.ts'

const NEVER = new AbortController().signal

async function seed() {
  const DATA_DIR = await makeFolder()
  const projectId = await seedRows(DATA_DIR, { roots: 20, jobsPerRoot: 100 })
  return { DATA_DIR, path: join(DATA_DIR, 'proofsheet.db'), projectId }
}

/** Overwrites part of the file, as a failing disk does. */
async function damage(path: string, { from, to }: { from: number; to: number }): Promise<void> {
  const { size } = await stat(path)
  const file = await open(path, 'r+')
  const [start, end] = [from, to].map((share) => Math.floor((size * share) / 4096) * 4096) as [number, number]
  await file.write(Buffer.alloc(end - start, 0xa5), 0, end - start, start)
  await file.close()
}

async function openStore(path: string) {
  const store = await openSqliteStore(path)
  onTestFinished(() => store.close())
  return store
}

test('damage in the middle of the file is found, even if nobody has read it', async () => {
  const { path } = await seed()
  await damage(path, { from: 0.5, to: 0.6 })
  const store = await openStore(path)
  await store.check()
  expect(await store.findDamage(NEVER)).toEqual(expect.any(String))
  await expect(store.check()).rejects.toMatchObject({ code: 'storage_failed', isTold: true })
})

test('damage is also found by a query that meets it', async () => {
  const { path, projectId } = await seed()
  // The tables and indexes themselves are described in the first pages.
  await damage(path, { from: 0.4, to: 1 })
  const store = await openStore(path)
  await store.check()
  const readAll = async () => {
    for (const { rootId } of await store.pageRoots(projectId, { limit: 20 }))
      await store.jobsOf(projectId, [rootId])
  }
  await expect(readAll()).rejects.toMatchObject({ code: 'storage_failed' })
  await expect(store.check()).rejects.toThrow('The database is damaged')
})

test('no damage is found in an intact database, even while someone writes', async () => {
  const { path } = await seed()
  const store = await openStore(path)
  const other = new DatabaseSync(path)
  onTestFinished(() => other.close())
  other.exec(`begin immediate; update projects set name = 'x'`)
  expect(await store.findDamage(NEVER)).toBeUndefined()
  other.exec('rollback')
  await store.check()
})

test('a service with a damaged database logs it, and is not ready', async () => {
  const { path, DATA_DIR } = await seed()
  const config = readConfig({ PORT: '0', DATA_DIR })
  const storage = await openStorage(config)
  await requireMatching(storage, config)
  await storage.close()
  await damage(path, { from: 0.5, to: 0.6 })
  const service = await serveProcess({ DATA_DIR, CAPTURE_CONCURRENCY: '0' })
  await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status, { timeout: 30_000 }).toBe(503)
  expect(await (await fetch(`${service.url}/readyz`)).json()).toMatchObject({
    code: 'storage_failed',
    detail: expect.stringContaining('The database is damaged'),
  })
  expect(service.stderr()).toMatch(/"level":50.*the database is damaged: restore a backup/)
})
