import { isPlain } from '../contract/check.ts'
import { parseId } from '../contract/ids.ts'
import { type Counts, type RootState, stateOf } from '../contract/status.ts'
import type { RequestSummary, RootFilter } from '../store/browsing.ts'
import type { RootHead, RootPosition, Store } from '../store/store.ts'
import { type Heads, walkRoots } from '../store/walk-roots.ts'

/** Jobs that the store searches in one turn. */
const JOBS_AT_ONCE = 800
/** The cost of a root beside its jobs, in jobs: to find it, and to search its unfinished pages. */
const ROOT_ITSELF = 20

type Reads = Pick<Store, 'pageRoots' | 'browsing'>

export type IsGone = () => boolean

/** Conditions for which every root must be read. */
export interface Sought extends RootFilter {
  readonly states?: readonly RootState[] | undefined
}

interface Found extends Heads {
  /** The roots that were searched. */
  readonly looked: readonly RootHead[]
}

const NOTHING: Found = { heads: [], looked: [], last: true }

/** Undefined if all roots match. Empty strings are no conditions: forms send them. */
export function toSought({ q, tag, mark, template, states }: Sought): Sought | undefined {
  const sought = {
    q: q || undefined,
    tag: tag || undefined,
    mark,
    template: template || undefined,
    states: states?.length ? states : undefined,
  }
  return Object.values(sought).some((each) => each !== undefined) ? sought : undefined
}

/** Searches the roots of a project, newest first, a few in each step, which may find none. Stops when the client has gone. */
export async function* searchRoots(
  store: Reads,
  projectId: string,
  sought: Sought,
  { after, from, isGone }: { after?: RootPosition | undefined; from?: number | undefined; isGone: IsGone },
): AsyncGenerator<Found> {
  const template = sought.template === undefined ? undefined : parseId(sought.template)
  // No database can store these texts, so nothing matches.
  if (!isPlain(sought.q ?? '') || !isPlain(sought.tag ?? '') || (sought.template && !template)) {
    yield NOTHING
    return
  }
  for await (const { heads, last } of walkRoots(store, projectId, { start: after, from })) {
    if (heads.length === 0) yield { heads, looked: [], last }
    for (const slice of searchedTogether(heads, sought)) {
      if (isGone()) {
        yield NOTHING
        return
      }
      const found = await match(store, projectId, slice, { ...sought, template })
      yield { heads: found, looked: slice, last: last && slice.at(-1) === heads.at(-1) }
    }
  }
}

async function match(
  { browsing }: Reads,
  projectId: string,
  heads: readonly RootHead[],
  { states, ...filter }: Sought,
): Promise<RootHead[]> {
  let found = [...heads]
  if (states !== undefined) {
    const requests = await browsing.requestsOf(projectId, found.map(idOf))
    found = found.filter((head) => states.includes(stateOfRoot(head, requests.get(head.rootId))))
  }
  const { q, tag, mark, template } = filter
  if (found.length === 0 || (q ?? tag ?? mark ?? template) === undefined) return found
  const matching = await browsing.matching(projectId, found.map(idOf), filter)
  return found.filter(({ rootId }) => matching.has(rootId))
}

export function idOf({ rootId }: RootHead): string {
  return rootId
}

/** Neighbouring roots that are searched in one step. */
export function searchedTogether(heads: readonly RootHead[], sought: Sought): Generator<RootHead[]> {
  return slicesOf(heads, JOBS_AT_ONCE, (head) => effortOf(head, sought))
}

/** Neighbouring items that cost no more than `most` together, or one that costs more. */
export function* slicesOf<T>(items: readonly T[], most: number, costOf: (item: T) => number): Generator<T[]> {
  let slice: T[] = []
  let sum = 0
  for (const item of items) {
    const cost = costOf(item)
    if (slice.length > 0 && sum + cost > most) {
      yield slice
      slice = []
      sum = 0
    }
    slice.push(item)
    sum += cost
  }
  if (slice.length > 0) yield slice
}

/** The cost of searching a root, in jobs. Only a search for a text reads all jobs. */
export function effortOf({ jobCount }: RootHead, { q }: Sought): number {
  return (q === undefined ? 0 : jobCount) + ROOT_ITSELF
}

/** An imported root has no request. All its pages are done. */
export function countsOf({ jobCount }: RootHead, request: RequestSummary | undefined): Counts {
  return request?.counts ?? { total: jobCount, queued: 0, running: 0, done: jobCount, failed: 0 }
}

export function stateOfRoot(head: RootHead, request: RequestSummary | undefined): RootState {
  return stateOf(countsOf(head, request))
}
