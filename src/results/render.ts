import type { JobResult } from '../contract/results.ts'
import { type Addresses, pictureKey, previewKey } from '../images/images.ts'
import type { Job } from '../store/store.ts'

/** Part of every ETag: raise it when the same rows begin to give other bytes. */
export const RENDERING = 2

type Head = { readonly rootId: string; readonly created: number }

/** What stands before the jobs of a root, in the order of the specification. */
export function openRoot({ rootId, created }: Head): string {
  return `{"rootId":"${rootId}","meta":{"created":${created}},"jobs":[`
}

export const CLOSE_ROOT = ']}'

export function renderRoot(
  projectId: string,
  head: Head,
  jobs: readonly Job[],
  addresses: Addresses,
): string {
  return openRoot(head) + renderJobs(projectId, jobs, addresses) + CLOSE_ROOT
}

export function renderJobs(projectId: string, jobs: readonly Job[], addresses: Addresses): string {
  let text = ''
  for (const job of jobs) text += (text === '' ? '' : ',') + renderJob(projectId, job, addresses)
  return text
}

/** The fields, in their order, are held against `JobResult` by the compiler; the text is what they come to. */
function renderJob(projectId: string, job: Job, addresses: Addresses): string {
  const { rootId, uuid } = job
  const fields: Record<keyof JobResult, string> = {
    data: `"${addresses.address(pictureKey(projectId, uuid))}"`,
    rootId: `"${rootId}"`,
    projectId: `"${projectId}"`,
    uuid: `"${uuid}"`,
    url: `{"url":${quote(job.url)},"name":${quote(job.name)},"loadingTime":${job.loadingTime}}`,
    meta: `{"created":${job.created}}`,
    screenshotParameter: `{"height":${job.height},"width":${job.width},"basepath":${quote(job.basepath)},"name":"${uuid}"}`,
    preview: `"${addresses.address(previewKey(projectId, uuid))}"`,
  }
  return `{"data":${fields.data},"rootId":${fields.rootId},"projectId":${fields.projectId},"uuid":${fields.uuid},"url":${fields.url},"meta":${fields.meta},"screenshotParameter":${fields.screenshotParameter},"preview":${fields.preview}}`
}

function quote(text: string): string {
  return JSON.stringify(text)
}
