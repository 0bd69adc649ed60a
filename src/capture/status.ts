import { parseId } from '../contract/ids.ts'
import {
  CAPTURE_STATES,
  type CaptureState,
  type Counts,
  isFinal,
  type PageStatus,
  type RootStatus,
  stateOf,
} from '../contract/status.ts'
import { AppError } from '../errors.ts'
import type { CaptureProgress } from '../store/captures.ts'
import type { Job, Store } from '../store/store.ts'
import type { WhyWaiting } from './wait-for-room.ts'

export interface Progress {
  readonly status: RootStatus
  /** Counts up with everything that happens. */
  readonly version: number
  /** By position: the version that it last changed with. */
  readonly changed: ReadonlyMap<number, number>
}

/** How far a root is. Throws `not_found` alike for what is malformed, unknown or another project's. */
export async function getProgress(
  store: Store,
  projectText: string,
  rootText: string,
  whyWaiting: WhyWaiting,
): Promise<Progress> {
  const projectId = parseId(projectText)
  const rootId = parseId(rootText)
  const head = projectId && rootId ? await store.findRoot(projectId, rootId) : undefined
  if (!projectId || !head) throw new AppError('not_found')
  const progress = await store.captures.findProgress(projectId, head.rootId)
  // A root that was imported came with all its results.
  const pages = progress
    ? progress.captures.map(toPageStatus)
    : (await store.jobsOf(projectId, [head.rootId])).map(importedPage)
  const counts = countStates(pages)
  const state = stateOf(counts)
  const waiting = isFinal(state) ? undefined : await whyWaiting()
  return {
    status: {
      rootId: head.rootId,
      state,
      ...(waiting && { waiting }),
      created: head.created,
      tags: [...(progress?.tags ?? [])],
      counts,
      urls: pages,
    },
    version: progress?.version ?? 1,
    changed: new Map(progress?.captures.map(({ position, changed }) => [position, changed])),
  }
}

function countStates(pages: readonly PageStatus[]): Counts {
  const count = (state: CaptureState) => pages.filter((page) => page.state === state).length
  const byState = Object.fromEntries(CAPTURE_STATES.map((state) => [state, count(state)]))
  return { total: pages.length, ...(byState as Record<CaptureState, number>) }
}

function toPageStatus(capture: CaptureProgress): PageStatus {
  const { position, url, name, state, attempts, queued, started, finished, uuid, cut, seen, failed } = capture
  return {
    ...{ position, url, name, state, attempts, queued },
    ...(started !== undefined && { started }),
    ...(finished !== undefined && { finished }),
    ...(uuid !== undefined && { uuid }),
    ...(cut && { cut }),
    ...(seen && { seen }),
    ...failed,
  }
}

function importedPage({ position, url, name, created, uuid }: Job): PageStatus {
  return { position, url, name, state: 'done', attempts: 0, queued: created, finished: created, uuid }
}
