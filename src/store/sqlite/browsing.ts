import type { Browsing } from '../browsing.ts'
import type { JobText } from '../job-text.ts'
import { REQUEST, toRequestSummary } from '../sql/browsing.ts'
import { BETWEEN_JOBS, toJobTexts } from '../sql/reads.ts'
import { createSqlitePages } from './pages.ts'
import type { Prepare } from './prepare.ts'
import { TEXT } from './reads.ts'
import { createSqliteSearch } from './search.ts'
import { takingTurns } from './taking-turns.ts'

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
  const search = createSqliteSearch(prepare)
  return {
    ...createSqlitePages(prepare),
    requestsOf: async (projectId, rootIds) =>
      new Map(requests(projectId, JSON.stringify(rootIds)).map(toRequestSummary)),
    async firstTexts(projectId, rootIds, { limit, q }) {
      if (q === undefined) {
        const rows = firstTexts(projectId, JSON.stringify(rootIds), limit)
        return new Map(rows.map(([rootId, texts]) => [rootId as string, toSomeTexts(texts)]))
      }
      const turn = takingTurns()
      const found = new Map<string, JobText[]>()
      for (const rootId of rootIds) {
        found.set(rootId, await search.firstTexts(projectId, rootId, { limit, q }, turn))
      }
      return found
    },
    async matching(projectId, rootIds, filter) {
      const turn = takingTurns()
      const found = new Set<string>()
      for (const rootId of rootIds) {
        if (await search.matches(projectId, rootId, filter, turn)) found.add(rootId)
      }
      return found
    },
  }
}

function toSomeTexts(texts: unknown): JobText[] {
  return texts === null ? [] : toJobTexts(texts as string)
}
