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
import { createPostgresPages, namesAnySpelling, SEEN_TEXT } from './pages.ts'
import type { Query } from './reads.ts'

/** `look`: for statements that may read many rows. */
export function createPostgresBrowsing(query: Query, look: Query): Browsing {
  return {
    ...createPostgresPages(query, look),

    async requestsOf(projectId, rootIds) {
      const text = `select ${REQUEST} from roots join requests using (project_id, root_id)
        where roots.project_id = $1 and roots.root_id = any($2::uuid[])`
      return new Map((await query(text, [projectId, rootIds])).map(toRequestSummary))
    },

    async countNewest(projectId, most) {
      return toNewestCount((await query(countNewest('$1', '$2::integer'), [projectId, most]))[0])
    },

    async firstTexts(projectId, rootIds, { limit, q }) {
      const values: unknown[] = [projectId, rootIds, limit]
      const names = q === undefined ? '' : `and ${namesAnySpelling(q, values)}`
      const text = `select root_id, (select string_agg(${SEEN_TEXT}, chr(${BETWEEN_JOBS}) order by position) from
          (select * from jobs where project_id = $1 and root_id = wanted.root_id ${names}
           order by position limit $3) jobs)
        from unnest($2::uuid[]) wanted (root_id)`
      const rows = await (q === undefined ? query : look)(text, values)
      return new Map(rows.map(([rootId, texts]) => [rootId as string, toSeenTexts(texts)]))
    },

    async firstFailures(projectId, rootIds, { limit, q }) {
      const values: unknown[] = [projectId, rootIds, limit]
      const names = q === undefined ? '' : `and ${namesAnySpelling(q, values)}`
      const text = `select root_id, (select json_agg(json_build_array(${FAILURE}) order by position)::text from
          (select * from captures where project_id = $1 and root_id = wanted.root_id and state = 'failed' ${names}
           order by position limit $3) failed)
        from unnest($2::uuid[]) wanted (root_id)`
      const rows = await (q === undefined ? query : look)(text, values)
      return new Map(rows.map(([rootId, failures]) => [rootId as string, toFailures(failures)]))
    },

    async matching(projectId, rootIds, { q, tag, mark, template }) {
      const values: unknown[] = [projectId, rootIds]
      const conditions: string[] = []
      if (tag !== undefined) {
        conditions.push(any('requests', `options::jsonb -> 'tags' ? $${values.push(tag)}`))
      }
      if (template !== undefined) {
        conditions.push(any('requests', `template_id = $${values.push(template)}::uuid`))
      }
      if (mark !== undefined) {
        conditions.push(any('requests', `marks::jsonb ? $${values.push(mark)}`))
      }
      if (q !== undefined) {
        const names = namesAnySpelling(q, values)
        // Done captures are searched as jobs.
        conditions.push(`(${any('jobs', names)} or ${any('captures', `state <> 'done' and ${names}`)})`)
      }
      const text = `select root_id from unnest($2::uuid[]) wanted (root_id) where ${conditions.join(' and ')}`
      return new Set((await look(text, values)).flat() as string[])
    },
  }
}

/** Not `exists`: with it, the server may read the whole table instead of some roots. */
function any(table: 'requests' | 'jobs' | 'captures', condition: string): string {
  return `(select true from ${table} where project_id = $1 and root_id = wanted.root_id and ${condition} limit 1)`
}
