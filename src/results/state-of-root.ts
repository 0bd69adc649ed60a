import { type Counts, type RootState, stateOf } from '../contract/status.ts'
import type { RequestSummary } from '../store/browsing.ts'
import type { RootHead } from '../store/store.ts'

/** An imported root has no request. All its pages are done. */
export function countsOf({ jobCount }: RootHead, request: RequestSummary | undefined): Counts {
  return request?.counts ?? { total: jobCount, queued: 0, running: 0, done: jobCount, failed: 0 }
}

export function stateOfRoot(head: RootHead, request: RequestSummary | undefined): RootState {
  return stateOf(countsOf(head, request))
}
