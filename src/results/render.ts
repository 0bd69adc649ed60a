import type { JobResult } from '../contract/results.ts'
import { type Addresses, pictureKey, previewKey } from '../images/images.ts'
import type { Job } from '../store/store.ts'

/** Part of every ETag: raise it when the same rows begin to give other bytes. */
export const RENDERING = 1

type Head = { readonly rootId: string; readonly created: number }

/** What stands before the jobs of a root, in the order of the specification. */
export function openRoot(root: Head): string {
  return `{"rootId":"${root.rootId}","meta":{"created":${root.created}},"jobs":[`
}

export const CLOSE_ROOT = ']}'

export function renderJob(projectId: string, job: Job, addresses: Addresses): string {
  const result: JobResult = {
    data: addresses.address(pictureKey(projectId, job.uuid)),
    rootId: job.rootId,
    projectId,
    uuid: job.uuid,
    url: { url: job.url, name: job.name, loadingTime: job.loadingTime },
    meta: { created: job.created },
    screenshotParameter: { height: job.height, width: job.width, basepath: job.basepath, name: job.uuid },
    preview: addresses.address(previewKey(projectId, job.uuid)),
  }
  return JSON.stringify(result)
}
