import { isPlain } from '../contract/plain-text.ts'
import type { RootState } from '../contract/status.ts'
import type { RootFilter } from '../store/browsing.ts'
import type { RootHead, RootPosition, Store } from '../store/store.ts'
import { type Heads, walkRoots } from '../store/walk-roots.ts'
import { stateOfRoot } from './state-of-root.ts'

/** Jobs that the store looks at in one turn. */
const JOBS_AT_ONCE = 800
/** What a root takes beside its jobs: to find it, and to look at what was asked for and is not there yet. */
const ROOT_ITSELF = 20

type Reads = Pick<Store, 'pageRoots' | 'browsing'>

/** Whether nobody waits for the answer any more. */
export type IsGone = () => boolean

/** Which roots, where each has to be looked at. */
export interface Sought extends RootFilter {
  /** In one of these. */
  readonly states?: readonly RootState[] | undefined
}

/** Roots that were looked at, and those of them that match. */
interface Looked {
  readonly heads: readonly RootHead[]
  readonly found: RootHead[]
  /** Nothing follows. */
  readonly last: boolean
}

const NOTHING: Looked = { heads: [], found: [], last: true }

/** Undefined where all are meant: forms send what was left empty. */
export function toSought({ q, tag, mark, states }: Sought): Sought | undefined {
  const sought = {
    q: q || undefined,
    tag: tag || undefined,
    mark,
    states: states?.length ? states : undefined,
  }
  return Object.values(sought).some((each) => each !== undefined) ? sought : undefined
}

/** Looks through the roots of a project, newest first: a few in each step, no further where nobody waits for it. */
export async function* searchRoots(
  store: Reads,
  projectId: string,
  sought: Sought,
  {
    after: start,
    from,
    isGone = () => false,
  }: { after?: RootPosition | undefined; from?: number | undefined; isGone?: IsGone | undefined } = {},
): AsyncGenerator<Looked> {
  // What no database can hold is nowhere.
  if (!isPlain(sought.q ?? '') || !isPlain(sought.tag ?? '')) {
    yield NOTHING
    return
  }
  for await (const { heads, last } of walkRoots(store, projectId, { start, from })) {
    if (heads.length === 0) yield { heads, found: [], last }
    for (const slice of slicesOf(heads, sought)) {
      if (isGone()) {
        yield NOTHING
        return
      }
      const found = await match(store, projectId, slice, sought)
      yield { heads: slice, found, last: last && slice.at(-1) === heads.at(-1) }
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
  const { q, tag, mark } = filter
  if (found.length === 0 || (q ?? tag ?? mark) === undefined) return found
  const matching = await browsing.matching(projectId, found.map(idOf), filter)
  return found.filter(({ rootId }) => matching.has(rootId))
}

export function idOf({ rootId }: RootHead): string {
  return rootId
}

/** All roots that match, newest first. A step may find none of them. */
export async function* walkMatching(
  store: Reads,
  projectId: string,
  sought: Sought,
  isGone?: IsGone,
): AsyncGenerator<Heads> {
  for await (const { found, last } of searchRoots(store, projectId, sought, { isGone })) {
    yield { heads: found, last }
  }
}

/** Neighbours that can be looked at together. */
export function* slicesOf(heads: readonly RootHead[], sought: Sought): Generator<RootHead[]> {
  let slice: RootHead[] = []
  let effort = 0
  for (const head of heads) {
    if (slice.length > 0 && effort + effortOf(head, sought) > JOBS_AT_ONCE) {
      yield slice
      slice = []
      effort = 0
    }
    slice.push(head)
    effort += effortOf(head, sought)
  }
  if (slice.length > 0) yield slice
}

/** What looking at it takes, in jobs. Only a text is looked for in all of them. */
export function effortOf({ jobCount }: RootHead, { q }: Sought): number {
  return (q === undefined ? 0 : jobCount) + ROOT_ITSELF
}
