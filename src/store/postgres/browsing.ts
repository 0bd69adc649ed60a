import type { Query } from '../sql/reads.ts'
import {
  type Browsing,
  containsText,
  createBrowsing,
  jobsIn,
  toLookedPage,
  toPictureCount,
} from '../sql/roots/browsing.ts'
import { keyOf, WORDS } from './reads.ts'

const { shownJob, isShown } = jobsIn(WORDS)

const ofPage = (url: string) => `from jobs where project_id = $1 and ${WORDS.hasUrl(url)} and ${isShown}`

/** `search`: for statements that may read many rows. */
export function createPostgresBrowsing(query: Query, search: Query): Browsing {
  return {
    ...createBrowsing({ query, many: query, search }, WORDS),

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
        const contains = containsText(q, values, WORDS)
        // Done captures are searched as jobs.
        conditions.push(`(${any('jobs', contains)} or ${any('captures', `state <> 'done' and ${contains}`)})`)
      }
      const text = `select value from ${WORDS.each('$2')} where ${conditions.join(' and ')}`
      return new Set((await search(text, values)).flat() as string[])
    },

    async nextPages(projectId, { after, limit, q }) {
      const values: unknown[] = [projectId, limit]
      const matches = q === undefined ? 'true' : containsText(q, values, WORDS)
      const next = (url: string | undefined) =>
        `select jobs.url from jobs
         where project_id = $1 ${url === undefined ? '' : `and (${keyOf('jobs.url')}) > (${keyOf(url)})`}
         order by ${keyOf('jobs.url')} limit 1`
      const start = after === undefined ? undefined : `$${values.push(after)}::text`
      // It goes from one address to the next, and does not read the pictures between them.
      const text = `with recursive page as (
          (${next(start)}) union all select (${next('page.url')}) from page where page.url is not null)
        select url, (
          select case when ${matches} then json_build_array(uuid, 1, ${shownJob}) else json_build_array(uuid, 0) end::text
          ${ofPage('page.url')} order by created desc, position, uuid limit 1)
        from (select url from page limit $2) page where url is not null`
      return (await search(text, values)).map(toLookedPage)
    },

    async countPictures(projectId, urls, most) {
      const text = `select (select count(*) from (select 1 ${ofPage('wanted.url')} limit $3) counted),
          (select created ${ofPage('wanted.url')} order by created, position desc, uuid desc limit 1)
        from unnest($2::text[]) with ordinality wanted (url, ordinal) order by ordinal`
      return (await search(text, [projectId, urls, most])).map(toPictureCount)
    },
  }
}

/** Not `exists`: with it, the server may read the whole table instead of some roots. */
function any(table: 'requests' | 'jobs' | 'captures', condition: string): string {
  return `(select true from ${table} where project_id = $1 and root_id = wanted.value and ${condition} limit 1)`
}
