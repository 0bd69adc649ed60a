import type { Browsing } from '../browsing.ts'
import type { JobText } from '../job-text.ts'
import { REQUEST, toRequestSummary } from '../sql/browsing.ts'
import { BETWEEN_JOBS, toJobTexts } from '../sql/reads.ts'
import { createSqlitePages } from './pages.ts'
import type { Prepare } from './prepare.ts'
import { TEXT } from './reads.ts'
import { createSqliteSearch } from './search.ts'
import { takingTurns } from './taking-turns.ts'

/** Roots whose first jobs are read by one statement. */
const ROOTS_AT_ONCE = 20

// Joins are `cross`: SQLite then takes the tables in the order in which they stand, and knows no better one.

export function createSqliteBrowsing(prepare: Prepare): Browsing {
  const requests = prepare(
    `select ${REQUEST} from roots cross join requests
     on requests.project_id = roots.project_id and requests.root_id = roots.root_id
     where roots.project_id = ?1 and roots.root_id in (select value from json_each(?2))`,
  )
  const firstTexts = prepare(
    `select value, (select string_agg(${TEXT}, char(${BETWEEN_JOBS}) order by position) from
       (select * from jobs where project_id = ?1 and root_id = wanted.value order by position limit ?3))
     from json_each(?2) wanted`,
  )
  const inTurn = takingTurns()
  const search = createSqliteSearch(prepare, inTurn)
  return {
    ...createSqlitePages(prepare, inTurn),
    requestsOf: async (projectId, rootIds) =>
      new Map((await inTurn(() => requests(projectId, JSON.stringify(rootIds)))).map(toRequestSummary)),
    async firstTexts(projectId, rootIds, { limit, q }) {
      const found = new Map<string, JobText[]>()
      for (let from = 0; q === undefined && from < rootIds.length; from += ROOTS_AT_ONCE) {
        const some = JSON.stringify(rootIds.slice(from, from + ROOTS_AT_ONCE))
        const rows = await inTurn(() => firstTexts(projectId, some, limit))
        for (const [rootId, texts] of rows) found.set(rootId as string, toSomeTexts(texts))
      }
      if (q === undefined) return found
      for (const rootId of rootIds) {
        found.set(rootId, await search.firstTexts(projectId, rootId, { limit, q }))
      }
      return found
    },
    async matching(projectId, rootIds, filter) {
      const found = new Set<string>()
      for (const rootId of rootIds) {
        if (await search.matches(projectId, rootId, filter)) found.add(rootId)
      }
      return found
    },
  }
}

function toSomeTexts(texts: unknown): JobText[] {
  return texts === null ? [] : toJobTexts(texts as string)
}
