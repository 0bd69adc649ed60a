import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { placeTables } from '../support/store/place-tables.ts'
import { makeProject } from '../support/store/results.ts'
import {
  DELIVERED,
  finishRoot,
  LIMIT,
  NOW,
  newWebhook,
  spreadAll,
  takeDeliveries,
} from '../support/store/webhooks.ts'

test('deliveries are found by an index and never sorted, however many are due together', async () => {
  const path = await placeTables(join(await makeFolder(), 'store.db'))
  const store = await openSqliteStore(path)
  onTestFinished(() => store.close())
  const projectId = await makeProject(store)
  const webhook = newWebhook(projectId)
  await store.webhooks.create(webhook, LIMIT)
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare')
  await finishRoot(store, projectId)
  await spreadAll(store)
  await store.deliveries.findWork({ now: NOW, leaseMs: 60_000 })
  for (;;) {
    const tasks = await takeDeliveries(store)
    if (tasks.length === 0) break
    const ends = tasks.map((attempt) => ({ attempt, how: DELIVERED }))
    await store.deliveries.end(ends, { now: NOW })
  }
  await store.webhooks.find(webhook)
  for (const state of [undefined, 'failed'] as const)
    await store.webhooks.listDeliveries(webhook, { limit: 9, state })
  await store.webhooks.replayFrom(webhook, 0, { now: NOW + 1 })
  await store.deliveries.findBacklog()
  const texts = new Set(
    prepare.mock.calls.map(([text]) => text).filter((text) => /\bdeliveries\b/.test(text)),
  )
  prepare.mockRestore()
  expect(texts.size).toBeGreaterThan(12)
  const database = new DatabaseSync(path)
  onTestFinished(() => database.close())
  for (const text of texts) {
    if (text.startsWith('insert')) continue
    const plan = database
      .prepare(`explain query plan ${text}`)
      .all(...Array.from(text.matchAll(/\?/g), () => 1))
      .map((row) => String(row['detail']))
      .join('\n')
    expect(plan).not.toMatch(/SCAN "?(deliveries|next|other)"?(?! USING)/)
    expect(plan).not.toContain('USE TEMP B-TREE FOR')
  }
})
