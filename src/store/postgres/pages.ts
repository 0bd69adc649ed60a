import type { Browsing } from '../browsing.ts'
import { seenText, shownJob, toLookedPage, toPictureCount, toShownJob } from '../sql/roots/browsing.ts'
import { namesAny, spellingsOf } from '../sql/roots/search.ts'
import { type Query, TEXT } from './reads.ts'

/**
 * An address in the index of jobs by address. An entry has at most 2,704 bytes. So a longer address is indexed by its
 * beginning and a hash.
 */
const keyOf = (url: string) =>
  `(left(${url}, 500)) collate "C", (case when length(${url}) > 500 then md5(${url}) else '' end) collate "C"`

export const PAGE: string = keyOf('url')

export const SEEN_TEXT = seenText(TEXT, 'chr')
const JOB = shownJob(SEEN_TEXT)
/** Few roots are claimed, and mostly none. */
const SHOWN = 'root_id <> all(array(select root_id from roots where project_id = $1 and claimed is not null))'

const ofPage = (url: string) =>
  `from jobs where project_id = $1 and (${keyOf('jobs.url')}) = (${keyOf(url)}) and jobs.url = ${url} and ${SHOWN}`

/** Jobs by their address, through an index of it. */
export function createPostgresPages(
  query: Query,
  look: Query,
): Pick<Browsing, 'findJob' | 'nextPages' | 'countPictures' | 'pageHistory'> {
  return {
    async findJob(projectId, uuid) {
      const text = `select ${JOB} from jobs where project_id = $1 and uuid = $2 and ${SHOWN}`
      return (await query(text, [projectId, uuid])).map(toShownJob)[0]
    },

    async nextPages(projectId, { after, limit, q }) {
      const values: unknown[] = [projectId, limit]
      const matches = q === undefined ? 'true' : namesAnySpelling(q, values)
      const next = (url: string | undefined) =>
        `select jobs.url from jobs
         where project_id = $1 ${url === undefined ? '' : `and (${keyOf('jobs.url')}) > (${keyOf(url)})`}
         order by ${keyOf('jobs.url')} limit 1`
      const start = after === undefined ? undefined : `$${values.push(after)}::text`
      // It goes from one address to the next, and does not read the pictures between them.
      const text = `with recursive page as (
          (${next(start)}) union all select (${next('page.url')}) from page where page.url is not null)
        select url, (
          select case when ${matches} then json_build_array(uuid, 1, ${JOB}) else json_build_array(uuid, 0) end::text
          ${ofPage('page.url')} order by created desc, position, uuid limit 1)
        from (select url from page limit $2) page where url is not null`
      return (await look(text, values)).map(toLookedPage)
    },

    async countPictures(projectId, urls, most) {
      const text = `select (select count(*) from (select 1 ${ofPage('wanted.url')} limit $3) counted),
          (select created ${ofPage('wanted.url')} order by created, position desc, uuid desc limit 1)
        from unnest($2::text[]) with ordinality wanted (url, ordinal) order by ordinal`
      return (await look(text, [projectId, urls, most])).map(toPictureCount)
    },

    async pageHistory(projectId, url, { after, limit }) {
      const past = `select ${JOB}, position, uuid ${ofPage('$2::text')}`
      if (after === undefined) {
        const text = `${past} order by created desc, position, uuid limit $3`
        return (await query(text, [projectId, url, limit])).map(toShownJob)
      }
      const text = `select * from (
          ${past} and created = $4 and (position, uuid) > ($5, $6) order by position, uuid limit $3) same_instant
        union all select * from (${past} and created < $4 order by created desc, position, uuid limit $3) older
        order by created desc, position, uuid limit $3`
      const values = [projectId, url, limit, after.created, after.position, after.uuid]
      return (await query(text, values)).map(toShownJob)
    },
  }
}

/** SQL: whether the name or the address of a row contains the text. Adds its parameters to the values. */
export function namesAnySpelling(q: string, values: unknown[]): string {
  const parameters = spellingsOf(q).map((spelling) => `$${values.push(spelling)}`)
  return namesAny(parameters, (column, parameter) => `strpos(lower(${column} collate "C"), ${parameter}) > 0`)
}
