import type { PageFailure } from '../../../contract/browsing.ts'
import { viewOf } from '../../../contract/capture-options.ts'
import { optionsOfPage } from '../../../contract/options-of-page.ts'
import type { LookedPage, NewestCount, PictureCount, RequestSummary, ShownJob } from '../../browsing.ts'
import type { SeenText } from '../../job-text.ts'
import { readOptions, readOwnOptions } from '../captures/options-text.ts'
import { ORIGIN_COLUMNS, readOriginOf } from '../captures/origin.ts'
import { BETWEEN_JOBS, toJobText } from '../reads.ts'

/**
 * The columns of a request, in the order for `toRequestSummary`. Captures are not read one by one: done captures are counted
 * as jobs of the root, and indexes have the unfinished and the failed ones.
 */
export const REQUEST = `roots.root_id, requests.options, roots.job_count,
  (select count(*) from captures of_root where of_root.project_id = roots.project_id
   and of_root.root_id = roots.root_id and of_root.state = 'failed'),
  ${unfinished('queued')}, ${unfinished('running')},
  ${ofSome('scheduled', 'requests.scheduled is not null and requests.begun is null')},
  ${ofSome('cancelled', "requests.outcome = 'cancelled'")},
  requests.marks, ${ORIGIN_COLUMNS.map((column) => `requests.${column}`).join(', ')}`

/** Counted only for roots that can have such captures. */
function ofSome(state: 'scheduled' | 'cancelled', condition: string): string {
  return `case when ${condition} then (select count(*) from captures of_root
   where of_root.project_id = roots.project_id and of_root.root_id = roots.root_id and of_root.state = '${state}')
   else 0 end`
}

function unfinished(state: 'queued' | 'running'): string {
  return `(select count(*) from captures of_root where of_root.project_id = roots.project_id
   and of_root.root_id = roots.root_id and of_root.state = '${state}' and of_root.finished is null)`
}

export function toRequestSummary(row: readonly unknown[]): [string, RequestSummary] {
  const [rootId, options, ...numbers] = row as [string, string, ...number[]]
  const [done = 0, failed = 0, queued = 0, running = 0, scheduled = 0, cancelled = 0] = numbers
  const counts = {
    ...{ total: done + failed + queued + running + scheduled + cancelled, queued, running, done, failed },
    ...(scheduled > 0 && { scheduled }),
    ...(cancelled > 0 && { cancelled }),
  }
  const [marks, ...from] = row.slice(8)
  const origin = readOriginOf(from)
  return [
    rootId,
    {
      ...{ options: readOptions(options), counts, marks: JSON.parse(marks as string) },
      ...(origin && { origin }),
    },
  ]
}

/** The code of the separator between the text of a job, the options of its page and what was seen. JSON escapes it. */
const BETWEEN_PARTS = 31

/** The text of a row of `jobs` and its capture. `char`: the function of the engine that makes a character from its code. */
export const seenText = (text: string, char: 'char' | 'chr') =>
  `concat(${text}, ${char}(${BETWEEN_PARTS}), (select concat(own_options, ${char}(${BETWEEN_PARTS}), seen) from captures
     where captures.project_id = jobs.project_id and captures.root_id = jobs.root_id
     and captures.position = jobs.position and captures.attempt = jobs.uuid))`

/** `texts`: null if there are none. */
export function toSeenTexts(texts: unknown): SeenText[] {
  if (texts === null) return []
  return (texts as string).split(String.fromCharCode(BETWEEN_JOBS)).map((text) => {
    const end = text.indexOf(String.fromCharCode(BETWEEN_PARTS))
    const [own = '', seen = ''] = text.slice(end + 1).split(String.fromCharCode(BETWEEN_PARTS))
    return { ...toJobText(text, end), seen, ownOptions: readOwnOptions(own) }
  })
}

/** The columns of a job, in the order for `toShownJob`. `text`: the text of a job and its capture, in SQL of the engine. */
export const shownJob = (text: string) =>
  `root_id, url, name, created, ${text},
   (select requests.options from requests
    where requests.project_id = jobs.project_id and requests.root_id = jobs.root_id)`

export function toShownJob(row: readonly unknown[]): ShownJob {
  const [rootId, url, name, created, text, options] = row as [
    string,
    string,
    string,
    number,
    string,
    string | null,
  ]
  const [job] = toSeenTexts(text)
  if (!job) throw new Error('a job has a text')
  const view = options === null ? undefined : viewOf(optionsOfPage(readOptions(options), job.ownOptions))
  return { rootId, url, name, created, text: job, view }
}

/** `project` and `most` are parameters. One root more than wanted is read, and not counted. */
export const countNewest = (project: string, most: string) =>
  `select cast(coalesce(sum(job_count) filter (where place <= ${most}), 0) as bigint), count(*) > ${most} from
     (select job_count, row_number() over (order by created desc, root_id) as place from
       (select * from roots where project_id = ${project} and claimed is null
        order by created desc, root_id limit ${most} + 1) newest) placed`

export function toNewestCount([pictures, hasMore]: readonly unknown[] = []): NewestCount {
  return { pictures: Number(pictures), hasMore: Boolean(hasMore) }
}

/** The columns of a failed capture, in the JSON that is made of it. */
export const FAILURE = 'position, url, name, reason, detail'

/** `json`: an array of failures, each an array of its columns. Null if there are none. */
export function toFailures(json: unknown): PageFailure[] {
  const rows = JSON.parse((json as string | null) ?? '[]') as [
    number,
    string,
    string,
    string,
    string | null,
  ][]
  return rows.map(([position, url, name, reason, detail]) => ({
    ...{ position, url, name },
    reason: reason as PageFailure['reason'],
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
