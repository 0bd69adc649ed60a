import type { JobResult } from '../contract/results.ts'
import { type Addresses, filesOf } from '../images/images.ts'
import type { JobText } from '../store/job-text.ts'
import type { RootKey } from '../store/store.ts'

/** Part of every ETag. Raise it when the same rows give other bytes than before: test/http/rendering.test.ts says when. */
export const RENDERING = 3

/** The fields of a job, after they are parsed. */
export type JobFields = Pick<JobResult, 'url' | 'meta' | 'screenshotParameter'>

/** The text before the jobs of a root, in the order of docs/spec.md. */
export function openRoot({ rootId, created }: { readonly rootId: string; readonly created: number }): string {
  return `{"rootId":"${rootId}","meta":{"created":${created}},"jobs":[`
}

export const CLOSE_ROOT = ']}'

/** Ids and addresses need no escaping in JSON. The fields are JSON already. */
export function renderJobs(
  { projectId, rootId }: RootKey,
  jobs: readonly JobText[],
  addresses: Addresses,
): string {
  const ids = `","rootId":"${rootId}","projectId":"${projectId}","uuid":"`
  let text = ''
  for (const job of jobs) {
    const files = filesOf(projectId, job)
    const [data, preview] = [addresses.address(files.picture), addresses.address(files.preview)]
    text += `${text === '' ? '' : ','}{"data":"${data}${ids}${job.uuid}",${job.fields},"preview":"${preview}"}`
  }
  return text
}
