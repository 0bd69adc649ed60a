import type { Browsing } from '../browsing.ts'
import { BETWEEN_JOBS } from '../sql/reads.ts'
import {
  countNewest,
  FAILURE,
  REQUEST,
  toFailures,
  toNewestCount,
  toRequestSummary,
  toSeenTexts,
} from '../sql/roots/browsing.ts'
import { createSqlitePages, SEEN_TEXT } from './pages.ts'
import type { Prepare } from './prepare.ts'
import { createRunYielding } from './run-yielding.ts'
import { createSqliteSearch } from './search.ts'

/** Roots whose first jobs one statement reads. */
const ROOTS_AT_ONCE = 20

// Joins are `cross`: SQLite then keeps the order of the tables. It would choose a worse one.

export function createSqliteBrowsing(prepare: Prepare): Browsing {
  const requests = prepare(
    `select ${REQUEST} from roots cross join requests
     on requests.project_id = roots.project_id and requests.root_id = roots.root_id
     where roots.project_id = ?1 and roots.root_id in (select value from json_each(?2))`,
  )
  const firstTexts = prepare(
    `select value, (select string_agg(${SEEN_TEXT}, char(${BETWEEN_JOBS}) order by position) from
       (select * from jobs where project_id = ?1 and root_id = wanted.value order by position limit ?3) jobs)
     from json_each(?2) wanted`,
  )
  const firstFailures = prepare(
    `select value, (select json_group_array(json_array(${FAILURE}) order by position) from
       (select * from captures where project_id = ?1 and root_id = wanted.value and state = 'failed'
        order by position limit ?3))
     from json_each(?2) wanted`,
  )
  const newest = prepare(countNewest('?1', '?2'))
  const runYielding = createRunYielding()
  const search = createSqliteSearch(prepare, runYielding)
  /** `look`: reads the first of some roots with one statement. */
  const firstOf = async <T>(
    rootIds: readonly string[],
    look: (some: string) => unknown[][],
    read: (texts: unknown) => T,
  ): Promise<Map<string, T>> => {
    const found = new Map<string, T>()
    for (let from = 0; from < rootIds.length; from += ROOTS_AT_ONCE) {
      const some = JSON.stringify(rootIds.slice(from, from + ROOTS_AT_ONCE))
      for (const [rootId, texts] of await runYielding(() => look(some)))
        found.set(rootId as string, read(texts))
    }
    return found
  }
  const oneByOne = async <T>(
    rootIds: readonly string[],
    read: (rootId: string) => Promise<T>,
  ): Promise<Map<string, T>> => {
    const found = new Map<string, T>()
    for (const rootId of rootIds) found.set(rootId, await read(rootId))
    return found
  }
  return {
    ...createSqlitePages(prepare, runYielding),
    requestsOf: async (projectId, rootIds) =>
      new Map((await runYielding(() => requests(projectId, JSON.stringify(rootIds)))).map(toRequestSummary)),
    countNewest: async (projectId, most) => toNewestCount(newest(projectId, most)[0]),
    firstTexts: async (projectId, rootIds, { limit, q }) =>
      q === undefined
        ? await firstOf(rootIds, (some) => firstTexts(projectId, some, limit), toSeenTexts)
        : await oneByOne(rootIds, (rootId) => search.firstTexts(projectId, rootId, { limit, q })),
    firstFailures: async (projectId, rootIds, { limit, q }) =>
      q === undefined
        ? await firstOf(rootIds, (some) => firstFailures(projectId, some, limit), toFailures)
        : await oneByOne(rootIds, (rootId) => search.firstFailures(projectId, rootId, { limit, q })),
    async matching(projectId, rootIds, filter) {
      const matches = await oneByOne(rootIds, (rootId) => search.matches(projectId, rootId, filter))
      return new Set(rootIds.filter((rootId) => matches.get(rootId)))
    },
  }
}
