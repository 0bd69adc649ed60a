import type { Browsing } from '../browsing.ts'
import { REQUEST, toRequestSummary } from '../sql/browsing.ts'
import { toJobTexts } from '../sql/reads.ts'
import { type Query, TEXTS } from './reads.ts'

/**
 * An address, as the index of jobs by their address has it. An entry holds 2,704 bytes at most: of a longer address
 * it has the beginning, and a hash that stands for the rest.
 */
export const PAGE = `(left(url, 500)) collate "C", (case when length(url) > 500 then md5(url) else '' end) collate "C"`

export function createPostgresBrowsing(query: Query): Browsing {
  return {
    async requestsOf(projectId, rootIds) {
      const text = `select ${REQUEST} from roots join requests using (project_id, root_id)
        where roots.project_id = $1 and roots.root_id = any($2::uuid[])`
      return new Map((await query(text, [projectId, rootIds])).map(toRequestSummary))
    },
    async firstTexts(projectId, rootIds, limit) {
      const text = `select root_id, (select ${TEXTS} from
          (select * from jobs where project_id = $1 and root_id = wanted.root_id order by position limit $3) part)
        from unnest($2::uuid[]) wanted (root_id)`
      const rows = await query(text, [projectId, rootIds, limit])
      return new Map(
        rows.map(([rootId, texts]) => [rootId as string, texts === null ? [] : toJobTexts(texts as string)]),
      )
    },
  }
}
