import { setImmediate as nextTurn } from 'node:timers/promises'
import { isPlain } from '../contract/reader.ts'
import type { RootFilter } from '../store/browsing.ts'
import type { RootHead, RootPosition, Store } from '../store/store.ts'
import { type Heads, walkRoots } from '../store/walk-roots.ts'

/** Jobs that the store looks at before anyone else has a turn. */
const JOBS_AT_ONCE = 2_000
/** What a root takes beside its jobs: to find it, and to look at what was asked for and is not there yet. */
const ROOT_ITSELF = 20

type Reads = Pick<Store, 'pageRoots' | 'browsing'>

/** Whether nobody waits for the answer any more. */
export type IsGone = () => boolean

/** Roots that were looked at, and those of them that match. */
interface Looked {
  readonly heads: readonly RootHead[]
  readonly found: RootHead[]
  /** Nothing follows. */
  readonly last: boolean
}

const NOTHING: Looked = { heads: [], found: [], last: true }

/** Undefined where all are meant: forms send what was left empty. */
export function toRootFilter({ q, tag }: RootFilter): RootFilter | undefined {
  return q || tag ? { q: q || undefined, tag: tag || undefined } : undefined
}

/** Looks through the roots of a project, newest first, a few at a time; no further where nobody waits for it. */
export async function* searchRoots(
  store: Reads,
  projectId: string,
  filter: RootFilter,
  { after, isGone = () => false }: { after?: RootPosition | undefined; isGone?: IsGone | undefined } = {},
): AsyncGenerator<Looked> {
  // What no database can hold is nowhere.
  if (!isPlain(filter.q ?? '') || !isPlain(filter.tag ?? '')) {
    yield NOTHING
    return
  }
  for await (const { heads, last } of walkRoots(store, projectId, after)) {
    if (heads.length === 0) yield { heads, found: [], last }
    for (const slice of slicesOf(heads)) {
      if (isGone()) {
        yield NOTHING
        return
      }
      const rootIds = slice.map(({ rootId }) => rootId)
      const matching = await store.browsing.matching(projectId, rootIds, filter)
      const found = slice.filter(({ rootId }) => matching.has(rootId))
      yield { heads: slice, found, last: last && slice.at(-1) === heads.at(-1) }
      await nextTurn()
    }
  }
}

/** All roots that match, newest first. */
export async function* walkMatching(
  store: Reads,
  projectId: string,
  filter: RootFilter,
  isGone?: IsGone,
): AsyncGenerator<Heads> {
  for await (const { found, last } of searchRoots(store, projectId, filter, { isGone })) {
    if (found.length > 0 || last) yield { heads: found, last }
  }
}

/** Neighbours that can be looked at together. */
export function* slicesOf(heads: readonly RootHead[]): Generator<RootHead[]> {
  let slice: RootHead[] = []
  let effort = 0
  for (const head of heads) {
    if (slice.length > 0 && effort + effortOf(head) > JOBS_AT_ONCE) {
      yield slice
      slice = []
      effort = 0
    }
    slice.push(head)
    effort += effortOf(head)
  }
  if (slice.length > 0) yield slice
}

/** What looking at it takes, in jobs. */
export function effortOf({ jobCount }: RootHead): number {
  return jobCount + ROOT_ITSELF
}
