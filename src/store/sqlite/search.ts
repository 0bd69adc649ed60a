import type { RootFilter } from '../browsing.ts'
import { BETWEEN_JOBS, toJobTexts } from '../sql/reads.ts'
import { namesAny, spellingsOf } from '../sql/search.ts'
import type { JobText } from '../store.ts'
import type { Prepare } from './prepare.ts'
import { TEXT } from './reads.ts'

/** Rows that one statement looks at: a tenth of a millisecond, and some ten where addresses are made to be slow. */
const ROWS = 100

const OF_ROOT = 'where project_id = ?1 and root_id = ?2'
/** The first parameter that is a spelling; those before say where to look, and for how many. */
const FIRST_SPELLING = 5

/** Looks through roots, a few rows at a time; `turn` is called in between. */
export function createSqliteSearch(prepare: Prepare) {
  const tagged = prepare(
    `select 1 from requests cross join json_each(requests.tags) tag ${OF_ROOT} and tag.value = ?3 limit 1`,
  )
  const part = (table: 'jobs' | 'captures', names: string) =>
    `select position, ${names} as found from ${table} ${OF_ROOT} and position >= ?3 order by position limit ${ROWS}`
  // By the number of spellings. Captures that are done are looked at as jobs.
  const statements = keeping((count) => {
    const names = namesAnySpelling(count, FIRST_SPELLING)
    const look = (table: 'jobs' | 'captures', condition: string) =>
      prepare(`select count(*), max(position), max(found) from (${part(table, condition)})`)
    return {
      jobs: look('jobs', names),
      captures: look('captures', `(state <> 'done' and ${names})`),
      texts: prepare(
        `with part as materialized (${part('jobs', names)})
         select count(*), max(position), (select string_agg(${TEXT}, char(${BETWEEN_JOBS}) order by position)
           from jobs ${OF_ROOT} and position in (select position from part where found order by position limit ?4))
         from part`,
      ),
    }
  })

  return {
    async matches(
      projectId: string,
      rootId: string,
      { q, tag }: RootFilter,
      turn: () => Promise<void> | undefined,
    ): Promise<boolean> {
      if (tag !== undefined && tagged(projectId, rootId, tag).length === 0) return false
      if (q === undefined) return true
      const spellings = spellingsOf(q)
      const { jobs, captures } = statements(spellings.length)
      for (const look of [jobs, captures]) {
        for (let from = 0; ; ) {
          const [[count, last, found] = []] = look(projectId, rootId, from, 0, ...spellings)
          await turn()
          if (found === 1) return true
          if ((count as number) < ROWS) break
          from = (last as number) + 1
        }
      }
      return false
    },

    /** The first jobs of a root that match. */
    async firstTexts(
      projectId: string,
      rootId: string,
      { q, limit }: { q: string; limit: number },
      turn: () => Promise<void> | undefined,
    ): Promise<JobText[]> {
      const spellings = spellingsOf(q)
      const { texts } = statements(spellings.length)
      const first: JobText[] = []
      for (let from = 0; ; ) {
        const [[count, last, some] = []] = texts(projectId, rootId, from, limit - first.length, ...spellings)
        if (some !== null) first.push(...toJobTexts(some as string))
        await turn()
        if ((count as number) < ROWS || first.length >= limit) return first
        from = (last as number) + 1
      }
    },
  }
}

/** Of so many spellings, whose parameters begin with this one. */
export function namesAnySpelling(count: number, first: number): string {
  const parameters = Array.from({ length: count }, (_, index) => `?${first + index}`)
  return namesAny(parameters, (column, parameter) => `instr(lower(${column}), ${parameter}) > 0`)
}

export function keeping<T>(make: (count: number) => T): (count: number) => T {
  const made = new Map<number, T>()
  return (count) => {
    const one = made.get(count) ?? make(count)
    made.set(count, one)
    return one
  }
}
