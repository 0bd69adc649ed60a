import type { View } from '../contract/capture-options.ts'
import type { Addresses } from '../images/images.ts'
import type { SeenText } from '../store/job-text.ts'
import type { RootKey } from '../store/store.ts'
import { renderJobs } from './render.ts'

/** Part of the ETags of pages and histories, as RENDERING is part of every ETag. The same test says when to raise it. */
export const SHOWING = 1

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
