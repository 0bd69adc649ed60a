import type { PageFailure, View } from '../../../contract/browsing.ts'
import type { LookedPage, PictureCount, RequestSummary, ShownJob } from '../../browsing.ts'
import type { SeenText } from '../../job-text.ts'
import { BETWEEN_JOBS, toJobText } from './reads.ts'

/**
 * A request's columns, in the order that `toRequestSummary` expects them. Its captures are not looked at one by one:
 * they are numbered from 0, those that are done are jobs of the root, and an index holds those that are unfinished.
 */
export const REQUEST = `roots.root_id, requests.tags, roots.job_count,
  (select max(position) + 1 from captures of_root
   where of_root.project_id = roots.project_id and of_root.root_id = roots.root_id),
  ${unfinished('queued')}, ${unfinished('running')},
  requests.marks, requests.width, requests.height, requests.full_page`

function unfinished(state: 'queued' | 'running'): string {
  return `(select count(*) from captures of_root where of_root.project_id = roots.project_id
   and of_root.root_id = roots.root_id and of_root.state = '${state}' and of_root.finished is null)`
}

export function toRequestSummary(row: readonly unknown[]): [string, RequestSummary] {
  const [rootId, tags, ...numbers] = row as [string, string, number, number, number, number]
  const [done, total, queued, running] = numbers
  const counts = { total, queued, running, done, failed: total - done - queued - running }
  const [marks, ...view] = row.slice(6) as [string, number, number, number]
  return [rootId, { tags: JSON.parse(tags), counts, marks: JSON.parse(marks), view: toView(view) }]
}

function toView([width, height, fullPage]: readonly [number, number, number]): View {
  return { width, height, fullPage: fullPage === 1 }
}

/** The code of what stands between the text of a job and what was seen. JSON escapes it, too. */
const BEFORE_SEEN = 31

/** The text of a row of `jobs`, with what was seen. `char`: the engine's function that makes a character of its code. */
export const seenText = (text: string, char: 'char' | 'chr') =>
  `concat(${text}, ${char}(${BEFORE_SEEN}), (select seen from captures where captures.project_id = jobs.project_id
     and captures.root_id = jobs.root_id and captures.position = jobs.position and captures.attempt = jobs.uuid))`

/** `texts`: null where there are none. */
export function toSeenTexts(texts: unknown): SeenText[] {
  if (texts === null) return []
  return (texts as string).split(String.fromCharCode(BETWEEN_JOBS)).map((text) => {
    const end = text.indexOf(String.fromCharCode(BEFORE_SEEN))
    return { ...toJobText(text, end), seen: text.slice(end + 1) }
  })
}

/** Of a job, in the order that `toShownJob` expects them. `text`: the engine's text of a job and of what was seen. */
export const shownJob = (text: string) =>
  `root_id, url, name, created, ${text},
   (select concat('[', requests.width, ',', requests.height, ',', requests.full_page, ']') from requests
    where requests.project_id = jobs.project_id and requests.root_id = jobs.root_id)`

export function toShownJob(row: readonly unknown[]): ShownJob {
  const [rootId, url, name, created, text, view] = row as [
    string,
    string,
    string,
    number,
    string,
    string | null,
  ]
  const [job] = toSeenTexts(text)
  if (!job) throw new Error('a job has a text')
  return { rootId, url, name, created, text: job, view: view === null ? undefined : toView(JSON.parse(view)) }
}

/** Of a capture that failed, within the JSON that is made of it. */
export const FAILURE = 'position, url, name, reason, detail'

/** `json`: an array of failures, each an array of its columns; null where there are none. */
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

/** `latest`: nothing, or a JSON array of the last job's id and, where it matches, of its columns. */
export function toLookedPage([url, latest]: readonly unknown[]): LookedPage {
  const [uuid, matches, ...job] = latest === null ? [] : JSON.parse(latest as string)
  return { url: url as string, uuid, latest: matches ? toShownJob(job) : undefined }
}

export function toPictureCount([pictures, oldest]: readonly unknown[]): PictureCount {
  return { pictures: pictures as number, oldest: (oldest ?? 0) as number }
}
