import type { Browsing } from '../browsing.ts'
import { REQUEST, toRequestSummary } from '../sql/browsing.ts'
import { toJobTexts } from '../sql/reads.ts'
import { namesAny, spellingsOf } from '../sql/search.ts'
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

    async firstTexts(projectId, rootIds, { limit, q }) {
      const values: unknown[] = [projectId, rootIds, limit]
      const names = q === undefined ? '' : `and ${namesAnySpelling(q, values)}`
      const text = `select root_id, (select ${TEXTS} from
          (select * from jobs where project_id = $1 and root_id = wanted.root_id ${names}
           order by position limit $3) part)
        from unnest($2::uuid[]) wanted (root_id)`
      const rows = await query(text, values)
      return new Map(
        rows.map(([rootId, texts]) => [rootId as string, texts === null ? [] : toJobTexts(texts as string)]),
      )
    },

    async matching(projectId, rootIds, { q, tag }) {
      const values: unknown[] = [projectId, rootIds]
      const conditions: string[] = []
      if (tag !== undefined) {
        conditions.push(any('requests', `tags::jsonb ? $${values.push(tag)}`))
      }
      if (q !== undefined) {
        const names = namesAnySpelling(q, values)
        // Captures that are done are looked at as jobs.
        conditions.push(`(${any('jobs', names)} or ${any('captures', `state <> 'done' and ${names}`)})`)
      }
      const text = `select root_id from unnest($2::uuid[]) wanted (root_id) where ${conditions.join(' and ')}`
      return new Set((await query(text, values)).flat() as string[])
    },
  }
}

/** Not `exists`: for that the server may choose to look through the whole table, once, instead of some roots. */
function any(table: 'requests' | 'jobs' | 'captures', condition: string): string {
  return `(select true from ${table} where project_id = $1 and root_id = wanted.root_id and ${condition} limit 1)`
}

/** Adds its parameters to the values. */
function namesAnySpelling(q: string, values: unknown[]): string {
  const parameters = spellingsOf(q).map((spelling) => `$${values.push(spelling)}`)
  return namesAny(parameters, (column, parameter) => `strpos(lower(${column} collate "C"), ${parameter}) > 0`)
}
