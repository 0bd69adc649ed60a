import { expect } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { newRequest, newSeen, PICTURE, takeAll } from '../support/store/captures.ts'
import { makeProject } from '../support/store/results.ts'
import { BEFORE_TURNS } from './before-turns.ts'

/** Takes a database back to before migration 5, on both engines. */
export const BEFORE_SEEN = `${BEFORE_TURNS} drop index captures_failed; alter table captures drop column seen;
  alter table requests drop column marks; alter table requests drop column fail_on;
  delete from kysely_migration where name = '0005-seen';`

export interface AskedBefore {
  readonly projectId: string
  readonly rootIds: readonly [string, string]
}

/** Two requests of three pages; of the first, two pages are cut. */
export async function captureBeforeSeen(store: Store): Promise<AskedBefore> {
  const projectId = await makeProject(store)
  const accept = () => store.captures.accept(newRequest(projectId, { pages: 3 }))
  const rootIds = [await accept(), await accept()] as const
  for (const task of await takeAll(store, { now: 1e14, leaseMs: 1e14 })) {
    const cut = task.rootId === rootIds[0] && task.position < 2
    await store.captures.finish(task, { ...PICTURE, seen: newSeen({ marks: cut ? ['cut'] : [] }) }, 5)
  }
  return { projectId, rootIds }
}

export async function expectOnlyCut(store: Store, { projectId, rootIds }: AskedBefore): Promise<void> {
  const [one, other] = rootIds
  const requests = await store.browsing.requestsOf(projectId, rootIds)
  expect([requests.get(one)?.marks, requests.get(other)?.marks]).toEqual([{ cut: 2 }, {}])
  expect(await store.browsing.matching(projectId, rootIds, { mark: 'cut' })).toEqual(new Set([one]))
  const progress = await store.captures.findProgress(projectId, one)
  expect(progress).toMatchObject({ options: { width: 1200, height: 720, fullPage: true, tags: [] } })
  expect(progress?.captures.map(({ cut, seen }) => [cut, seen])).toEqual([
    [true, undefined],
    [true, undefined],
    [false, undefined],
  ])
}
