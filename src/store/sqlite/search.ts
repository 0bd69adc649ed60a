import type { PageFailure } from '../../contract/browsing.ts'
import type { RootFilter } from '../browsing.ts'
import type { SeenText } from '../job-text.ts'
import { BETWEEN_JOBS } from '../sql/reads.ts'
import { FAILURE, toFailures, toSeenTexts } from '../sql/roots/browsing.ts'
import { spellingsOf } from '../sql/roots/search.ts'
import { SEEN_TEXT } from './pages.ts'
import { keeping, namesAnySpelling, type Prepare, RowsAtOnce } from './prepare.ts'
import type { RunYielding } from './run-yielding.ts'

/** Rows that one statement searches: a twentieth of a millisecond, and half a millisecond each for the longest texts. */
const MOST_ROWS = 50

const OF_ROOT = 'where project_id = ?1 and root_id = ?2'
const FAILED = `${OF_ROOT} and state = 'failed'`
/** The first parameter that is a spelling. Those before say which rows are searched, and how many. */
const FIRST_SPELLING = 6

/** Searches roots, a few rows at a time. */
export function createSqliteSearch(prepare: Prepare, runYielding: RunYielding) {
  const tagged = prepare(
    `select 1 from requests cross join json_each(requests.options, '$.tags') tag ${OF_ROOT} and tag.value = ?3 limit 1`,
  )
  const marked = prepare(
    `select 1 from requests cross join json_each(requests.marks) mark ${OF_ROOT} and mark.key = ?3 limit 1`,
  )
  const made = prepare(`select 1 from requests ${OF_ROOT} and template_id = ?3 limit 1`)
  const part = (rows: string, names: string) =>
    `select position, ${names} as found from ${rows} and position >= ?3 order by position limit ?5`
  // One set of statements for each number of spellings. Done captures are searched as jobs.
  const statements = keeping((count) => {
    const names = namesAnySpelling(count, FIRST_SPELLING)
    const look = (table: 'jobs' | 'captures', condition: string) =>
      prepare(`select count(*), max(position), max(found) from (${part(`${table} ${OF_ROOT}`, condition)})`)
    const first = (rows: string, all: string) =>
      prepare(
        `with part as materialized (${part(rows, names)})
         select count(*), max(position), (select ${all} from ${rows}
           and position in (select position from part where found order by position limit ?4))
         from part`,
      )
    return {
      jobs: look('jobs', names),
      captures: look('captures', `(state <> 'done' and ${names})`),
      texts: first(`jobs ${OF_ROOT}`, `string_agg(${SEEN_TEXT}, char(${BETWEEN_JOBS}) order by position)`),
      failures: first(`captures ${FAILED}`, `json_group_array(json_array(${FAILURE}) order by position)`),
    }
  })

  /** The first rows that match. */
  const firstOf = async <T>(
    kind: 'texts' | 'failures',
    [projectId, rootId]: readonly [string, string],
    { q, limit }: { q: string; limit: number },
    read: (some: unknown) => T[],
  ): Promise<T[]> => {
    const spellings = spellingsOf(q)
    const look = statements(spellings.length)[kind]
    const first: T[] = []
    const rows = new RowsAtOnce(MOST_ROWS)
    for (let from = 0; ; ) {
      const room = limit - first.length
      const [[count, last, some] = []] = await runYielding(() =>
        rows.time((most) => look(projectId, rootId, from, room, most, ...spellings)),
      )
      first.push(...read(some))
      if ((count as number) < rows.asked || first.length >= limit) return first
      from = (last as number) + 1
    }
  }

  return {
    async matches(projectId: string, rootId: string, filter: RootFilter): Promise<boolean> {
      const { q, tag, mark, template } = filter
      if (template !== undefined && (await runYielding(() => made(projectId, rootId, template))).length === 0)
        return false
      if (tag !== undefined && (await runYielding(() => tagged(projectId, rootId, tag))).length === 0)
        return false
      if (mark !== undefined && (await runYielding(() => marked(projectId, rootId, mark))).length === 0)
        return false
      if (q === undefined) return true
      const spellings = spellingsOf(q)
      const { jobs, captures } = statements(spellings.length)
      for (const look of [jobs, captures]) {
        const rows = new RowsAtOnce(MOST_ROWS)
        for (let from = 0; ; ) {
          const [[count, last, found] = []] = await runYielding(() =>
            rows.time((most) => look(projectId, rootId, from, 0, most, ...spellings)),
          )
          if (found === 1) return true
          if ((count as number) < rows.asked) break
          from = (last as number) + 1
        }
      }
      return false
    },

    /** The first jobs of a root that match. */
    firstTexts: (
      projectId: string,
      rootId: string,
      first: { q: string; limit: number },
    ): Promise<SeenText[]> => firstOf('texts', [projectId, rootId], first, toSeenTexts),

    /** The first failed pages of a root that match. */
    firstFailures: (
      projectId: string,
      rootId: string,
      first: { q: string; limit: number },
    ): Promise<PageFailure[]> => firstOf('failures', [projectId, rootId], first, toFailures),
  }
}
