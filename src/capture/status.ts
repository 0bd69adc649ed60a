import {
  isFinal,
  type PageStatus,
  type RootStatus,
  stateOf,
  tellFailure,
  type Waiting,
} from '../contract/status.ts'
import type { CaptureProgress, Changes } from '../store/captures.ts'
import type { Job, RootHead, RootKey, Store } from '../store/store.ts'

/** Jobs read in one turn. */
const JOBS_AT_ONCE = 200

/** The status of a request, with the pages that have changed. Some projects do not see every reason. */
export function toStatus(
  rootId: string,
  { created, origin, options, counts, finished, captures }: Changes,
  { isExplained, waiting }: { isExplained: boolean; waiting?: Waiting | undefined },
): RootStatus {
  const urls = captures.map((capture) => toPageStatus(capture, isExplained))
  const state = finished?.outcome ?? stateOf(counts)
  const why = waiting && !isFinal(state) && { waiting }
  return { rootId, state, ...why, created, ...origin, tags: [...options.tags], counts, options, urls }
}

export type ImportedStatus = (root: RootHead & RootKey) => AsyncGenerator<{ parts: string[]; last: boolean }>

/**
 * The status of an imported root, as text. All its pages are done, and there may be very many. Each piece is made in a
 * turn of the client.
 */
export async function* importedStatus(
  store: Pick<Store, 'pageJobs'>,
  { projectId, rootId, created, jobCount }: RootHead & RootKey,
): ReturnType<ImportedStatus> {
  const counts = { total: jobCount, queued: 0, running: 0, done: jobCount, failed: 0 }
  const head: RootStatus = { rootId, state: stateOf(counts), created, tags: [], counts, urls: [] }
  let before = JSON.stringify(head).slice(0, -2)
  for (let from = 0; ; ) {
    const { parts, next }: ImportedPages = await renderPages(store, { projectId, rootId, from })
    // The last piece may have no job, and then needs no comma.
    parts.unshift(before + (from > 0 && parts.length > 0 ? ',' : ''))
    if (next === undefined) parts.push(']}')
    yield { parts, last: next === undefined }
    if (next === undefined) return
    before = ''
    from = next
  }
}

type ImportedPages = Awaited<ReturnType<typeof renderPages>>

/** `next`: the position of the next job. A function of its own: a generator would keep the rows in memory until its next step. */
async function renderPages(
  store: Pick<Store, 'pageJobs'>,
  { projectId, rootId, from }: RootKey & { from: number },
) {
  const jobs = await store.pageJobs(projectId, rootId, { from, limit: JOBS_AT_ONCE })
  const parts = jobs.length > 0 ? [jobs.map((job) => JSON.stringify(importedPage(job))).join(',')] : []
  const next = jobs.length < JOBS_AT_ONCE ? undefined : (jobs.at(-1)?.position ?? 0) + 1
  return { parts, next }
}

function toPageStatus(capture: CaptureProgress, isExplained: boolean): PageStatus {
  const { position, url, name, state, attempts, queued, started, finished, uuid, cut, seen, failed } = capture
  const { loadingTime, ownOptions } = capture
  return {
    ...{ position, url, name, state, attempts, queued },
    ...(started !== undefined && { started }),
    ...(finished !== undefined && { finished }),
    ...(uuid !== undefined && { uuid }),
    ...(cut && { cut }),
    ...(seen && { seen }),
    ...(seen?.notes && { notes: seen.notes }),
    loadingTime,
    ...(ownOptions && { options: ownOptions }),
    ...(failed && tellFailure(failed, url, isExplained)),
  }
}

function importedPage({ position, url, name, created, uuid }: Job): PageStatus {
  return { position, url, name, state: 'done', attempts: 0, queued: created, finished: created, uuid }
}
