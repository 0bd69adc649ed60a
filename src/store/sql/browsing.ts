import type { LookedPage, PictureCount, RequestSummary, ShownJob } from '../browsing.ts'
import { toJobTexts } from './reads.ts'

/**
 * A request's columns, in the order that `toRequestSummary` expects them. Its captures are not looked at one by one:
 * they are numbered from 0, those that are done are jobs of the root, and an index holds those that are unfinished.
 */
export const REQUEST = `roots.root_id, requests.tags, roots.job_count,
  (select max(position) + 1 from captures of_root
   where of_root.project_id = roots.project_id and of_root.root_id = roots.root_id),
  ${unfinished('queued')}, ${unfinished('running')}`

function unfinished(state: 'queued' | 'running'): string {
  return `(select count(*) from captures of_root where of_root.project_id = roots.project_id
   and of_root.root_id = roots.root_id and of_root.state = '${state}' and of_root.finished is null)`
}

export function toRequestSummary(row: readonly unknown[]): [string, RequestSummary] {
  const [rootId, tags, done, total, queued, running] = row as [string, string, number, number, number, number]
  const counts = { total, queued, running, done, failed: total - done - queued - running }
  return [rootId, { tags: JSON.parse(tags), counts }]
}

/** Of a job, in the order that `toShownJob` expects them. `text`: the engine's text of a job. */
export const shownJob = (text: string) => `root_id, url, name, created, ${text}`

export function toShownJob(row: readonly unknown[]): ShownJob {
  const [rootId, url, name, created, text] = row as [string, string, string, number, string]
  const [job] = toJobTexts(text)
  if (!job) throw new Error('a job has a text')
  return { rootId, url, name, created, text: job }
}

/** `latest`: nothing, or a JSON array of the last job's id and, where it matches, of its columns. */
export function toLookedPage([url, latest]: readonly unknown[]): LookedPage {
  const [uuid, matches, ...job] = latest === null ? [] : JSON.parse(latest as string)
  return { url: url as string, uuid, latest: matches ? toShownJob(job) : undefined }
}

export function toPictureCount([pictures, oldest]: readonly unknown[]): PictureCount {
  return { pictures: pictures as number, oldest: (oldest ?? 0) as number }
}
