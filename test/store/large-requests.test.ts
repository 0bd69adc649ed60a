import { randomBytes, randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgresStore } from '../../src/store/postgres/postgres.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import type { Store } from '../../src/store/store.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { asAdmin } from '../support/servers/postgres.ts'
import { usePostgres } from '../support/servers/use-servers.ts'
import { placeTables } from '../support/store/place-tables.ts'
import { makeProject } from '../support/store/results.ts'
import { newSchedule } from './schedules-suite.ts'

// Queries that do not show requests do not read them: a list of a hundred requests of 820 KB would take a tenth of a second.

const postgres = usePostgres()
const PAGE = 4_096
const LARGE = 820_000

/** A template and a schedule with a large request, each listed after a small one. */
async function addBoth(store: Store, request: string): Promise<string> {
  const projectId = await makeProject(store)
  for (const [index, text] of ['{}', request].entries()) {
    const created = index + 1
    const template = { projectId, templateId: randomUUID(), name: 'Large', request: text, sealed: undefined }
    await store.templates.create({ ...template, created: 2 - index })
    await store.schedules.create(
      newSchedule(projectId, { request: text, created, next: { next: created, due: created } }),
    )
  }
  return projectId
}

/** Every query that reads the large rows, but not their requests. */
async function look({ templates, schedules }: Store, projectId: string): Promise<void> {
  const listed = await templates.page(projectId, { limit: 100 })
  expect(listed.map(({ bytes }) => bytes)).toEqual([2, LARGE])
  const { templateId = '' } = listed[1] ?? {}
  expect(await templates.has({ projectId, templateId })).toBe(true)
  const [first, ...others] = await schedules.page(projectId, { limit: 100, mayBeFewer: true })
  if (!first) throw new Error('no schedule')
  expect([first.request, others]).toEqual(['{}', []])
  expect(await schedules.hasAfter(projectId, { created: first.created, id: first.scheduleId })).toBe(true)
  expect((await schedules.findDue(Date.now(), 50)).map(({ request }) => request)).toEqual(['{}'])
}

test('SQLite reads no page of a large request unless it is shown', async () => {
  const path = await placeTables(join(await makeFolder(), 'store.db'))
  const before = await openSqliteStore(path)
  const projectId = await addBoth(before, 'x'.repeat(LARGE))
  await before.close()
  expect(await damagePagesOf('x', path)).toBeGreaterThan((2 * LARGE) / PAGE - 10)
  const store = await openSqliteStore(path)
  onTestFinished(() => store.close())
  await look(store, projectId)
  const { templateId = '' } = (await store.templates.page(projectId, { limit: 9 }))[1] ?? {}
  await expect(store.templates.find({ projectId, templateId })).rejects.toThrow(/damaged|malformed/)
})

/** Damages all pages that contain only this letter after the number of the next page. Returns how many. */
async function damagePagesOf(letter: string, path: string): Promise<number> {
  const file = await readFile(path)
  const content = Buffer.alloc(PAGE - 4, letter)
  let count = 0
  for (let at = 0; at < file.length; at += PAGE) {
    if (!file.subarray(at + 4, at + PAGE).equals(content)) continue
    file.fill(0xff, at, at + PAGE)
    count++
  }
  await writeFile(path, file)
  return count
}

test('PostgreSQL reads no part of a large request unless it is shown', async () => {
  const url = await postgres.newDatabase()
  const open = () => openPostgresStore(url, { connections: 2, waitMs: 60_000, statementMs: 60_000 })
  const blocks = async (column: 'heap_blks' | 'toast_blks') => {
    const [row] = await asAdmin<{ sum: string }[]>(
      url,
      `select sum(${column}_hit + ${column}_read) from pg_statio_user_tables where relname in ('templates', 'schedules')`,
    )
    return Number(row?.sum)
  }
  const making = await open()
  // Noise: PostgreSQL would compress anything else and store it in the row.
  const projectId = await addBoth(making, randomBytes(LARGE / 2).toString('hex'))
  await making.close()
  // A session reports its reads when it ends.
  await expect.poll(() => blocks('toast_blks')).toBeGreaterThan(0)
  const [rows, texts] = [await blocks('heap_blks'), await blocks('toast_blks')]
  const store = await open()
  await look(store, projectId)
  await store.close()
  await expect.poll(() => blocks('heap_blks')).toBeGreaterThan(rows)
  expect(await blocks('toast_blks')).toBe(texts)
})
