import type { Browsing } from '../browsing.ts'
import { REQUEST, toRequestSummary } from '../sql/browsing.ts'
import { BETWEEN_JOBS, toJobTexts } from '../sql/reads.ts'
import type { Prepare } from './prepare.ts'
import { TEXT } from './reads.ts'

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
  return {
    requestsOf: async (projectId, rootIds) =>
      new Map(requests(projectId, JSON.stringify(rootIds)).map(toRequestSummary)),
    firstTexts: async (projectId, rootIds, limit) =>
      new Map(
        firstTexts(projectId, JSON.stringify(rootIds), limit).map(([rootId, texts]) => [
          rootId as string,
          texts === null ? [] : toJobTexts(texts as string),
        ]),
      ),
  }
}
