import type { PageFailure } from '../../../contract/browsing.ts'
import { viewOf } from '../../../contract/capture-options.ts'
import { optionsOfPage } from '../../../contract/options-of-page.ts'
import type {
  First,
  JobPosition,
  LookedPage,
  PictureCount,
  RequestSummary,
  RootFilter,
  ShownJob,
} from '../../browsing.ts'
import type { SeenText } from '../../job-text.ts'
import { ORIGIN_COLUMNS, readOptions, readOriginOf, readOwnOptions } from '../captures/columns.ts'
import { BETWEEN_JOBS, jobText, type Query, toJobText, type Words } from '../reads.ts'

/** Queries for answers to people. Their cost depends on the size of the answer, not on the size of the store. */
export type Browsing = ReturnType<typeof createBrowsing> & Walks

/** SQLite reads a few rows at a time, and PostgreSQL everything at once. */
export interface Walks {
  /**
   * The next addresses after `after`, in the order of their bytes. Fewer than `limit` if nothing follows. PostgreSQL has
   * another order for addresses that share their first 500 characters. It never changes.
   */
  nextPages(
    projectId: string,
    next: { after?: string | undefined; limit: number; q?: string | undefined },
  ): Promise<LookedPage[]>
  /** One count for each address, in their order. No more than `most` are counted. */
  countPictures(projectId: string, urls: readonly string[], most: number): Promise<PictureCount[]>
  /** Those of these roots that match. All their jobs and captures may have to be read. */
  matching(projectId: string, rootIds: readonly string[], filter: RootFilter): Promise<Set<string>>
}

interface Queries {
  readonly query: Query
  /** For statements that read many rows. */
  readonly many: Query
  /** For statements that may have to read very many. */
  readonly search: Query
  /** Roots whose first rows one statement reads. */
  readonly rootsAtOnce?: number
}

export function createBrowsing(
  { query, many, search, rootsAtOnce = Number.POSITIVE_INFINITY }: Queries,
  words: Words,
) {
  const { seenText, shownJob, isShown } = jobsIn(words)
  const past = `select ${shownJob}, position, uuid from jobs
    where project_id = $1 and ${words.hasUrl('$2')} and ${isShown}`

  /** `select`: selects the first rows of a root as one text, of those that match. */
  const firstOf =
    <T>(select: (matches: string) => string, read: (text: unknown) => T) =>
    async (projectId: string, rootIds: readonly string[], { limit, q }: First): Promise<Map<string, T>> => {
      const found = new Map<string, T>()
      for (let from = 0; from < rootIds.length; from += rootsAtOnce) {
        const values: unknown[] = [projectId, rootIds.slice(from, from + rootsAtOnce), limit]
        const matches = q === undefined ? '' : `and ${containsText(q, values, words)}`
        const text = `select value, (${select(matches)}) from ${words.each('$2')}`
        const rows = await (q === undefined ? many : search)(text, values)
        for (const [rootId, first] of rows) found.set(rootId as string, read(first))
      }
      return found
    }

  return {
    /** By root. Imported roots have none. */
    async requestsOf(projectId: string, rootIds: readonly string[]): Promise<Map<string, RequestSummary>> {
      // The join is `cross`: SQLite then keeps the order of the tables. It would choose a worse one.
      const text = `select ${REQUEST} from roots cross join requests
        where requests.project_id = roots.project_id and requests.root_id = roots.root_id
          and roots.project_id = $1 and ${words.among('roots.root_id', '$2')}`
      return new Map((await many(text, [projectId, rootIds])).map(toRequestSummary))
    },

    /**
     * The first jobs of each of these roots, at most `limit`, by root. With `q`, the first that match: then all jobs of these
     * roots may have to be read.
     */
    firstTexts: firstOf(
      (matches) => `select string_agg(${seenText}, '${BETWEEN_JOBS}' order by position) from
        (select * from jobs where project_id = $1 and root_id = wanted.value ${matches}
         order by position limit $3) jobs`,
      toSeenTexts,
    ),

    /** The same for failed pages. Imported roots have none. */
    firstFailures: firstOf(
      (matches) => `select ${words.arrayOf(words.array(FAILURE))} from
        (select * from captures where project_id = $1 and root_id = wanted.value and state = 'failed' ${matches}
         order by position limit $3) failed`,
      toFailures,
    ),

    async findJob(projectId: string, uuid: string): Promise<ShownJob | undefined> {
      const text = `select ${shownJob} from jobs where project_id = $1 and uuid = $2 and ${isShown}`
      return (await query(text, [projectId, uuid])).map(toShownJob)[0]
    },

    /** How many pictures the newest roots of a project have together, at most `most` roots, and whether there are more roots. */
    async countNewest(projectId: string, most: number) {
      // One root more than wanted is read, and not counted.
      const limit = 'cast($2 as integer)'
      const text = `select cast(coalesce(sum(job_count) filter (where place <= ${limit}), 0) as bigint), count(*) > ${limit} from
        (select job_count, row_number() over (order by created desc, root_id) as place from
          (select * from roots where project_id = $1 and claimed is null
           order by created desc, root_id limit ${limit} + 1) newest) placed`
      const [[pictures, hasMore] = []] = await query(text, [projectId, most])
      return { pictures: Number(pictures), hasMore: Boolean(hasMore) }
    },

    /** The jobs of an address after `after`: newest first, then in the order of their request, then by id. */
    async pageHistory(
      projectId: string,
      url: string,
      { after, limit }: { after?: JobPosition | undefined; limit: number },
    ): Promise<ShownJob[]> {
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

export function jobsIn(words: Words) {
  const seenText = `concat(${jobText(words.json)}, '${BETWEEN_PARTS}',
    (select concat(own_options, '${BETWEEN_PARTS}', seen) from captures
     where captures.project_id = jobs.project_id and captures.root_id = jobs.root_id
     and captures.position = jobs.position and captures.attempt = jobs.uuid))`
  /** In the order for `toShownJob`. */
  const shownJob = `root_id, url, name, created, ${seenText},
    (select requests.options from requests
     where requests.project_id = jobs.project_id and requests.root_id = jobs.root_id)`
  /** Few roots are claimed, and mostly none. */
  const claimed = 'select root_id from roots where project_id = $1 and claimed is not null'
  return { seenText, shownJob, isShown: words.notAmong('root_id', claimed) }
}

/**
 * SQL: whether the name or the address of a row contains the text. Adds its parameters to the values. The text may be anywhere. Both
 * engines search without patterns, so that no character has a special meaning or makes the search slow: LIKE took ten seconds for a
 * text for which this takes a tenth of a second.
 */
export function containsText(q: string, values: unknown[], { holds }: Words): string {
  const parameters = spellingsOf(q).map((spelling) => `$${values.push(spelling)}`)
  const conditions = ['name', 'url'].flatMap((column) =>
    parameters.map((parameter) => holds(column, parameter)),
  )
  return `(${conditions.join(' or ')})`
}

/**
 * The spellings of a text to search for, with A to Z in lower case. The engines fold only A to Z. All other letters are folded
 * here, so that the locale of a database does not matter.
 */
export function spellingsOf(text: string): string[] {
  const lower = text.toLowerCase()
  const upper = (letter: string) => letter.toUpperCase()
  const spellings = [
    text,
    lower,
    upper(text),
    lower.replace(/\p{L}/u, upper),
    lower.replaceAll(/(?<![\p{L}\p{M}])\p{L}/gu, upper),
  ]
  return [
    ...new Set(spellings.map((spelling) => spelling.replaceAll(/[A-Z]+/g, (some) => some.toLowerCase()))),
  ]
}

/**
 * The columns of a request, in the order for `toRequestSummary`. Captures are not read one by one: done captures are counted
 * as jobs of the root, and indexes have the unfinished and the failed ones. Others are counted only for roots that can have them.
 */
const REQUEST = `roots.root_id, requests.options, roots.job_count,
  ${countOf("state = 'failed'")},
  ${countOf("state = 'queued' and of_root.finished is null")},
  ${countOf("state = 'running' and of_root.finished is null")},
  case when requests.scheduled is not null and requests.begun is null then ${countOf("state = 'scheduled'")} else 0 end,
  case when requests.outcome = 'cancelled' then ${countOf("state = 'cancelled'")} else 0 end,
  requests.marks, ${ORIGIN_COLUMNS.map((column) => `requests.${column}`).join(', ')}`

function countOf(captures: string): string {
  return `(select count(*) from captures of_root where of_root.project_id = roots.project_id
   and of_root.root_id = roots.root_id and of_root.${captures})`
}

function toRequestSummary(row: readonly unknown[]): [string, RequestSummary] {
  const [rootId, options, ...numbers] = row as [string, string, ...number[]]
  const [done = 0, failed = 0, queued = 0, running = 0, scheduled = 0, cancelled = 0] = numbers
  const counts = {
    ...{ total: done + failed + queued + running + scheduled + cancelled, queued, running, done, failed },
    ...(scheduled > 0 && { scheduled }),
    ...(cancelled > 0 && { cancelled }),
  }
  const [marks, ...from] = row.slice(8)
  const origin = readOriginOf(from)
  const request = { options: readOptions(options), counts, marks: JSON.parse(marks as string) }
  return [rootId, { ...request, ...(origin && { origin }) }]
}

/** Separates the text of a job, the options of its page and what was seen. JSON escapes it. */
const BETWEEN_PARTS = '\x1f'

/** `texts`: null if there are none. */
export function toSeenTexts(texts: unknown): SeenText[] {
  if (texts === null) return []
  return (texts as string).split(BETWEEN_JOBS).map((text) => {
    const end = text.indexOf(BETWEEN_PARTS)
    const [own = '', seen = ''] = text.slice(end + 1).split(BETWEEN_PARTS)
    return { ...toJobText(text, end), seen, ownOptions: readOwnOptions(own) }
  })
}

export function toShownJob(row: readonly unknown[]): ShownJob {
  const [rootId, url, name, created] = row as [string, string, string, number]
  const [text] = toSeenTexts(row[4])
  if (!text) throw new Error('a job has a text')
  const options = row[5] as string | null
  const view = options === null ? undefined : viewOf(optionsOfPage(readOptions(options), text.ownOptions))
  return { rootId, url, name, created, text, view }
}

/** The columns of a failed capture, in the JSON that is made of it. */
export const FAILURE = 'position, url, name, reason, detail'

/** `json`: an array of failures, each an array of its columns. Null if there are none. */
export function toFailures(json: unknown): PageFailure[] {
  type Row = [number, string, string, PageFailure['reason'], string | null]
  const rows = JSON.parse((json as string | null) ?? '[]') as Row[]
  return rows.map(([position, url, name, reason, detail]) => ({
    ...{ position, url, name, reason },
    detail: detail ?? '',
  }))
}

/** `latest`: nothing, or a JSON array with the id of the newest job and, if it matches, its columns. */
export function toLookedPage([url, latest]: readonly unknown[]): LookedPage {
  const [uuid, matches, ...job] = latest === null ? [] : JSON.parse(latest as string)
  return { url: url as string, uuid, latest: matches ? toShownJob(job) : undefined }
}

export function toPictureCount([pictures, oldest]: readonly unknown[]): PictureCount {
  return { pictures: pictures as number, oldest: (oldest ?? 0) as number }
}
