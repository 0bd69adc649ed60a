import type { Browsing, LookedPage, PictureCount } from '../browsing.ts'
import { seenText, shownJob, toLookedPage, toPictureCount, toShownJob } from '../sql/roots/browsing.ts'
import { spellingsOf } from '../sql/roots/search.ts'
import { keeping, namesAnySpelling, type Prepare, RowsAtOnce } from './prepare.ts'
import { TEXT } from './reads.ts'
import type { RunYielding } from './run-yielding.ts'

/** Addresses that one statement reads: less than a millisecond, and about ten if they are as long as possible. */
const PAGES_AT_ONCE = 25

export const SEEN_TEXT = seenText(TEXT, 'char')
const JOB = shownJob(SEEN_TEXT)
const OF_PAGE = 'from jobs where project_id = ?1 and url = ?2'
/** Few roots are claimed, and mostly none. */
const SHOWN = 'root_id not in (select root_id from roots where project_id = ?1 and claimed is not null)'
/** The first parameter that is a spelling. */
const FIRST_SPELLING = 4

/** Jobs by their address, through an index of it. */
export function createSqlitePages(
  prepare: Prepare,
  runYielding: RunYielding,
): Pick<Browsing, 'findJob' | 'nextPages' | 'countPictures' | 'pageHistory'> {
  const job = prepare(`select ${JOB} from jobs where project_id = ?1 and uuid = ?2 and ${SHOWN}`)
  // It goes from one address to the next, and does not read the pictures between them. One statement for each number of
  // spellings.
  const pages = keeping((spellings) => {
    const matches = spellings === 0 ? '1' : namesAnySpelling(spellings, FIRST_SPELLING)
    const walk = (first: '>' | '>=') =>
      prepare(
        `with recursive page (url) as (
           select min(url) from jobs where project_id = ?1 and url ${first} ?2
           union all
           select (select min(url) from jobs where project_id = ?1 and url > page.url) from page
           where url is not null limit ?3)
         select url, (
           select case when ${matches} then json_array(uuid, 1, ${JOB}) else json_array(uuid, 0) end from jobs
           where project_id = ?1 and jobs.url = page.url and ${SHOWN} order by created desc, position, uuid limit 1)
         from page where url is not null`,
      )
    return { first: walk('>='), further: walk('>') }
  })
  const anyClaimed = prepare('select 1 from roots where project_id = ?1 and claimed is not null limit 1')
  // The index is enough, unless the query must check whether a root is shown.
  const count = (condition: string) =>
    prepare(
      `select (select count(*) from (select 1 ${OF_PAGE} ${condition} limit ?3)),
              (select created ${OF_PAGE} ${condition} order by created, position desc, uuid desc limit 1)`,
    )
  const [countAll, countShown] = [count(''), count(`and ${SHOWN}`)]
  const past = `select ${JOB}, position, uuid ${OF_PAGE} and ${SHOWN}`
  const firstJobs = prepare(`${past} order by created desc, position, uuid limit ?3`)
  const furtherJobs = prepare(
    `select * from (${past} and created = ?4 and (position, uuid) > (?5, ?6) order by position, uuid limit ?3)
     union all select * from (${past} and created < ?4 order by created desc, position, uuid limit ?3)
     order by created desc, position, uuid limit ?3`,
  )
  return {
    findJob: async (projectId, uuid) => job(projectId, uuid).map(toShownJob)[0],

    async nextPages(projectId, { after, limit, q }) {
      const spellings = q === undefined ? [] : spellingsOf(q)
      const { first, further } = pages(spellings.length)
      const found: LookedPage[] = []
      const rows = new RowsAtOnce(PAGES_AT_ONCE)
      for (let from = after; ; from = found.at(-1)?.url) {
        const look = from === undefined ? first : further
        const room = limit - found.length
        const some = await runYielding(() =>
          rows.time((most) => look(projectId, from ?? '', most, ...spellings), room),
        )
        found.push(...some.map(toLookedPage))
        if (some.length < rows.asked || found.length === limit) return found
      }
    },

    async countPictures(projectId, urls, most) {
      const look = anyClaimed(projectId).length === 0 ? countAll : countShown
      const counts: PictureCount[] = []
      for (const url of urls) {
        counts.push(...(await runYielding(() => look(projectId, url, most))).map(toPictureCount))
      }
      return counts
    },

    pageHistory: async (projectId, url, { after, limit }) =>
      (after === undefined
        ? firstJobs(projectId, url, limit)
        : furtherJobs(projectId, url, limit, after.created, after.position, after.uuid)
      ).map(toShownJob),
  }
}
