import type { LookedPage, PictureCount, RootFilter } from '../browsing.ts'
import type { RootKey } from '../rows.ts'
import { BETWEEN_JOBS } from '../sql/reads.ts'
import {
  type Browsing,
  containsText,
  createBrowsing,
  FAILURE,
  jobsIn,
  toFailures,
  toLookedPage,
  toPictureCount,
  toSeenTexts,
} from '../sql/roots/browsing.ts'
import { WORDS } from './reads.ts'
import { createRunYielding, RowsAtOnce } from './run-yielding.ts'
import type { Run } from './statements.ts'

/** Roots whose first jobs one statement reads. */
const ROOTS_AT_ONCE = 20
/** Addresses that one statement reads: less than a millisecond, and about ten if they are as long as possible. */
const PAGES_AT_ONCE = 25

/** Rows that one statement searches: a twentieth of a millisecond, and half a millisecond each for the longest texts. */
const MOST_ROWS = 50

const { seenText, shownJob, isShown } = jobsIn(WORDS)
const OF_ROOT = 'where project_id = $1 and root_id = $2'
const TEXTS = `string_agg(${seenText}, '${BETWEEN_JOBS}' order by position)`
const FAILURES = WORDS.arrayOf(WORDS.array(FAILURE))

export function createSqliteBrowsing(run: Run): Browsing {
  const runYielding = createRunYielding()
  const many = (text: string, values: readonly unknown[] = []) => runYielding(() => run(text, values))
  const shared = createBrowsing(
    { query: async (text, values) => run(text, values), many, search: many, rootsAtOnce: ROOTS_AT_ONCE },
    WORDS,
  )
  const oneByOne = async <T>(
    rootIds: readonly string[],
    read: (rootId: string) => Promise<T>,
  ): Promise<Map<string, T>> => {
    const found = new Map<string, T>()
    for (const rootId of rootIds) found.set(rootId, await read(rootId))
    return found
  }

  /**
   * Looks at some rows of a root after the other. `part` is a statement for their positions and whether they match. `select` makes of it
   * the statement for their number, the last position, and what is yielded; its `$4` is the room.
   */
  async function* look(
    { projectId, rootId }: RootKey,
    { rows, q, only = '' }: { rows: string; q: string; only?: string },
    select: (part: string) => string,
    room = () => 0,
  ): AsyncGenerator<unknown> {
    const values: unknown[] = [projectId, rootId, 0, 0, 0]
    const found = `(${only}${containsText(q, values, WORDS)}) as found`
    const text = select(
      `select position, ${found} from ${rows} and position >= $3 order by position limit $5`,
    )
    const atOnce = new RowsAtOnce(MOST_ROWS)
    for (let from = 0; ; ) {
      const [[count, last, selected] = []] = await runYielding(() =>
        atOnce.time((most) => run(text, values.with(2, from).with(3, room()).with(4, most))),
      )
      yield selected
      if ((count as number) < atOnce.asked) return
      from = (last as number) + 1
    }
  }

  /** The first rows that match. */
  const firstOf = async <T>(
    root: RootKey,
    { q, limit }: { q: string; limit: number },
    [rows, columns]: readonly [string, string],
    read: (some: unknown) => T[],
  ): Promise<T[]> => {
    const first: T[] = []
    const select = (part: string) =>
      `with part as materialized (${part})
       select count(*), max(position), (select ${columns} from ${rows}
         and position in (select position from part where found order by position limit $4))
       from part`
    for await (const some of look(root, { rows, q }, select, () => limit - first.length)) {
      first.push(...read(some))
      if (first.length >= limit) break
    }
    return first
  }

  const matches = async (root: RootKey, { q, tag, mark, template }: RootFilter): Promise<boolean> => {
    for (const [value, from, condition] of [
      [template, 'requests', 'template_id = $3'],
      [tag, "requests cross join json_each(requests.options, '$.tags') tag", 'tag.value = $3'],
      [mark, 'requests cross join json_each(requests.marks) mark', 'mark.key = $3'],
    ] as const) {
      if (value === undefined) continue
      const text = `select 1 from ${from} ${OF_ROOT} and ${condition} limit 1`
      const found = await runYielding(() => run(text, [root.projectId, root.rootId, value]))
      if (found.length === 0) return false
    }
    if (q === undefined) return true
    // Done captures are searched as jobs.
    const searched = [
      { rows: `jobs ${OF_ROOT}`, q },
      { rows: `captures ${OF_ROOT}`, q, only: `state <> 'done' and ` },
    ]
    const select = (part: string) => `select count(*), max(position), max(found) from (${part})`
    for (const rows of searched)
      for await (const found of look(root, rows, select)) if (found === 1) return true
    return false
  }

  return {
    ...shared,

    firstTexts: async (projectId, rootIds, { limit, q }) =>
      q === undefined
        ? await shared.firstTexts(projectId, rootIds, { limit })
        : await oneByOne(rootIds, (rootId) =>
            firstOf({ projectId, rootId }, { limit, q }, [`jobs ${OF_ROOT}`, TEXTS], toSeenTexts),
          ),

    firstFailures: async (projectId, rootIds, { limit, q }) =>
      q === undefined
        ? await shared.firstFailures(projectId, rootIds, { limit })
        : await oneByOne(rootIds, (rootId) =>
            firstOf(
              { projectId, rootId },
              { limit, q },
              [`captures ${OF_ROOT} and state = 'failed'`, FAILURES],
              toFailures,
            ),
          ),

    async matching(projectId, rootIds, filter) {
      const found = await oneByOne(rootIds, (rootId) => matches({ projectId, rootId }, filter))
      return new Set(rootIds.filter((rootId) => found.get(rootId)))
    },

    async nextPages(projectId, { after, limit, q }) {
      const values: unknown[] = [projectId, '', 0]
      const isMatch = q === undefined ? '1' : containsText(q, values, WORDS)
      const found: LookedPage[] = []
      const rows = new RowsAtOnce(PAGES_AT_ONCE)
      for (let from = after; ; from = found.at(-1)?.url) {
        // It goes from one address to the next, and does not read the pictures between them.
        const text = `with recursive page (url) as (
            select min(url) from jobs where project_id = $1 and url ${from === undefined ? '>=' : '>'} $2
            union all
            select (select min(url) from jobs where project_id = $1 and url > page.url) from page
            where url is not null limit $3)
          select url, (
            select case when ${isMatch} then json_array(uuid, 1, ${shownJob}) else json_array(uuid, 0) end from jobs
            where project_id = $1 and jobs.url = page.url and ${isShown} order by created desc, position, uuid limit 1)
          from page where url is not null`
        const some = await runYielding(() =>
          rows.time((most) => run(text, values.with(1, from ?? '').with(2, most)), limit - found.length),
        )
        found.push(...some.map(toLookedPage))
        if (some.length < rows.asked || found.length === limit) return found
      }
    },

    async countPictures(projectId, urls, most) {
      // The index is enough, unless the query must check whether a root is shown.
      const anyClaimed = run('select 1 from roots where project_id = $1 and claimed is not null limit 1', [
        projectId,
      ])
      const ofPage = `from jobs where project_id = $1 and url = $2 ${anyClaimed.length === 0 ? '' : `and ${isShown}`}`
      const text = `select (select count(*) from (select 1 ${ofPage} limit $3)),
        (select created ${ofPage} order by created, position desc, uuid desc limit 1)`
      const counts: PictureCount[] = []
      for (const url of urls) counts.push(...(await many(text, [projectId, url, most])).map(toPictureCount))
      return counts
    },
  }
}
