import type { RequestSummary } from '../browsing.ts'

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
