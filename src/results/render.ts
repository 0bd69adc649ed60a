import type { JobResult } from '../contract/results.ts'
import { type Addresses, pictureKey, previewKey } from '../images/images.ts'
import type { JobText } from '../store/job-text.ts'

/** Part of every ETag. It is raised when the same rows give other bytes than before: test/http/rendering.test.ts tells when. */
export const RENDERING = 3

/** What the fields of a job hold, once they are read again. */
export type JobFields = Pick<JobResult, 'url' | 'meta' | 'screenshotParameter'>

export interface RootIds {
  readonly projectId: string
  readonly rootId: string
}

/** What stands before the jobs of a root, in the order of docs/spec.md. */
export function openRoot({ rootId, created }: { readonly rootId: string; readonly created: number }): string {
  return `{"rootId":"${rootId}","meta":{"created":${created}},"jobs":[`
}

export const CLOSE_ROOT = ']}'

/** Ids and addresses hold nothing that JSON would escape; what people wrote is in the fields, which are JSON. */
export function renderJobs(
  { projectId, rootId }: RootIds,
  jobs: readonly JobText[],
  addresses: Addresses,
): string {
  const ids = `","rootId":"${rootId}","projectId":"${projectId}","uuid":"`
  let text = ''
  for (const { uuid, fields } of jobs) {
    const [data, preview] = [
      addresses.address(pictureKey(projectId, uuid)),
      addresses.address(previewKey(projectId, uuid)),
    ]
    text += `${text === '' ? '' : ','}{"data":"${data}${ids}${uuid}",${fields},"preview":"${preview}"}`
  }
  return text
}
