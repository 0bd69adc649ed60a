import { hash } from 'node:crypto'
import type { View } from '../contract/capture-options.ts'
import type { JobResult } from '../contract/results.ts'
import { type Addresses, filesOf } from '../images/images.ts'
import type { JobText, SeenText } from '../store/job-text.ts'
import type { RootKey } from '../store/store.ts'

/** Part of every ETag. Raise it when the same rows give other bytes than before: test/http/rendering.test.ts says when. */
export const RENDERING = 3
/** Part of the ETags of pages and histories, as RENDERING is part of every ETag. The same test says when to raise it. */
export const SHOWING = 1

/** Weak, because a proxy may compress. It changes with the data, and with the addresses: so with every signing window. */
export function resultEtag(revision: string, tag: string): string {
  return `W/"${revision}.${tag}"`
}

const tags = new WeakMap<Addresses, string>()

/** Covers everything that changes the bytes of an answer, except the data. */
export function tagOf(addresses: Addresses): string {
  let tag = tags.get(addresses)
  if (tag === undefined) {
    tag = hash('sha256', `${RENDERING}\n${addresses.tag}`, 'base64url').slice(0, 16)
    tags.set(addresses, tag)
  }
  return tag
}

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

/** A job for people: with its options and what was seen, if that is known. */
export function renderShown(
  root: RootKey & { readonly view: View | undefined },
  job: SeenText,
  addresses: Addresses,
): string {
  const view = root.view ? `,"view":${JSON.stringify(root.view)}` : ''
  const seen = job.seen === '' ? '' : `,"seen":${job.seen}`
  return `${renderJobs(root, [job], addresses).slice(0, -1)}${view}${seen}}`
}
