import { expect } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { FAILURE, newRequest, takeAll } from '../support/store/captures.ts'
import { makeProject } from '../support/store/results.ts'

/** Takes a database from before migration 9 back to before migration 6, on both engines. */
export const BEFORE_TURNS = `drop table turns; drop index captures_queued; drop index captures_running;
  create index captures_next on captures (turn, queued) where finished is null;
  drop index captures_suspect; alter table captures drop column deaths;
  drop table identity;
  delete from kysely_migration where name in ('0006-turns', '0007-deaths', '0008-identity');`

/** Like a version without turns, beside one that has them. */
export const UNCOUNTED = 'delete from turns'

const LEASE = { now: 1_000, leaseMs: 20_000 }

/** Two projects with three pages each: one finished, one left running by a worker that is gone, one waiting. */
export async function askBeforeTurns(store: Store): Promise<void> {
  for (const created of [1, 2]) {
    const rootId = await store.captures.accept(newRequest(await makeProject(store), { pages: 3, created }))
    const task = await store.captures.takeNext({ ...LEASE, rootId })
    if (task) await store.captures.finish(task, FAILURE, 1_000)
    await store.captures.takeNext({ ...LEASE, rootId })
  }
}

export async function expectAllTaken(store: Store): Promise<void> {
  const { captures } = store
  expect(await captures.takeNext(LEASE)).toMatchObject({ position: 2, attempts: 1 })
  expect(await captures.takeNext(LEASE)).toMatchObject({ position: 2, attempts: 1 })
  const later = { ...LEASE, now: 50_000 }
  for (const attempt of await captures.findUnderWay())
    await captures.putBack(attempt, { now: later.now, due: 0, counts: false, died: true })
  const tasks = await takeAll(store, later)
  expect(tasks.map(({ position, attempts, deaths }) => [position, attempts, deaths])).toEqual([
    ...[1, 1].map((position) => [position, 1, 1]),
    ...[2, 2].map((position) => [position, 1, 1]),
  ])
  for (const task of tasks) await captures.finish(task, FAILURE, later.now)
  expect(await captures.findBacklog()).toEqual({ waiting: 0, running: 0, oldest: undefined })
}
