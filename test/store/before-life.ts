import { expect } from 'vitest'
import type { CaptureTask } from '../../src/store/captures.ts'
import type { Store } from '../../src/store/store.ts'
import { FAILURE, newRequest, PICTURE } from '../support/store/captures.ts'
import { makeProject } from '../support/store/results.ts'
import { BEFORE_ORIGIN } from './before-origin.ts'

const BEFORE_SECRETS = {
  SQLite: `drop table secrets; delete from kysely_migration where name = '0011-secrets';`,
  PostgreSQL: `drop table secrets; drop trigger secrets_of_two_versions on captures; drop function secrets_of_two_versions();
    delete from kysely_migration where name = '0011-secrets';`,
} as const

const DROP = `drop table events; drop index requests_unfinished;
  alter table requests drop column finished; alter table requests drop column outcome;
  alter table projects drop column last_event; alter table projects drop column removed;
  alter table projects drop column last_removal;
  delete from kysely_migration where name = '0010-life';`

/** Takes a database back to before migration 10. */
export const BEFORE_LIFE = {
  SQLite: BEFORE_ORIGIN.SQLite + BEFORE_SECRETS.SQLite + DROP,
  PostgreSQL: BEFORE_ORIGIN.PostgreSQL + BEFORE_SECRETS.PostgreSQL + DROP,
} as const

/** Like a version that does not record finishes, beside one that does. */
export const NOT_WRITTEN = 'update requests set finished = null, outcome = null; delete from events'

const LEASE = { now: 1_000, leaseMs: 20_000 }

/** Roots of two pages each: one done, one failed, one half done and half failed, one half done. */
export async function captureBeforeLife(store: Store) {
  const projectId = await makeProject(store)
  const rootIds: string[] = []
  const outcomes = [
    [PICTURE, PICTURE],
    [FAILURE, FAILURE],
    [PICTURE, FAILURE],
    [undefined, PICTURE],
  ]
  for (const pages of outcomes) {
    const rootId = await store.captures.accept(newRequest(projectId, { pages: 2 }))
    rootIds.push(rootId)
    for (const [index, outcome] of pages.entries()) {
      const task = (await store.captures.takeNext({ ...LEASE, rootId })) as CaptureTask
      if (outcome) await store.captures.finish(task, outcome, 2_000 + index)
    }
  }
  return { projectId, rootIds }
}

/** `at`: when they were finished; `told`: how many of them have an event. */
export async function expectLives(
  { captures, events }: Store,
  { projectId, rootIds }: Awaited<ReturnType<typeof captureBeforeLife>>,
  { at, told }: { at: number; told: number },
): Promise<void> {
  await captures.takeNext({ ...LEASE, now: 5_000 })
  const lives = await Promise.all(rootIds.map((rootId) => captures.findProgress(projectId, rootId)))
  expect(lives.map((life) => life?.finished)).toEqual([
    { at, outcome: 'done' },
    { at, outcome: 'failed' },
    { at, outcome: 'partial' },
    undefined,
  ])
  const found = await events.read(projectId, { after: 0, limit: 100 })
  expect(found.map(({ kind }) => kind)).toEqual(Array.from({ length: told }, () => 'root.finished'))
  expect(new Set(found.map(({ rootId }) => rootId))).toEqual(new Set(told > 0 ? rootIds.slice(0, told) : []))
}
