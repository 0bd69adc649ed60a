import { AppError } from '../errors.ts'
import type { RootPositions } from '../store/job-text.ts'
import type { RootHead, Store } from '../store/store.ts'
import { CLOSE_ROOT, openRoot } from './render.ts'
import type { RootBytes } from './root-bytes.ts'

/** A root with more jobs than this is read in parts. */
export const WHOLE_ROOT = 100
/** Of a part: so many jobs at most, whatever is captured meanwhile. */
const POSITIONS_AT_ONCE = 100

type Reads = Pick<Store, 'findPositions' | 'textsBetween'>

/** A part of a root in its place: all of them, one after the other, are the root. */
export interface LargeRootPart {
  readonly head: RootHead
  readonly parts: (Buffer | string)[]
  /** The root ends with it. */
  readonly last: boolean
}

interface Range {
  readonly first: number
  readonly last: number
}

/**
 * The parts of a root, all of one revision: which jobs belong to it is read once, and a job never changes. No part where
 * the root does not exist any more. Throws where it, or a job of it, is removed after the first part.
 */
export async function* renderLargeRoot(
  store: Reads,
  roots: RootBytes,
  found: RootHead,
): AsyncGenerator<LargeRootPart> {
  let positions = roots.keptPositions(found)
  for (;;) {
    positions ??= await readPositions(store, roots, found.rootId)
    if (!positions) return
    let hasBegun = false
    for (const range of rangesOf(positions)) {
      const part: LargeRootPart | undefined = await makePart(store, roots, positions, range)
      if (!part) break
      yield part
      if (part.last) return
      hasBegun = true
    }
    if (hasBegun) throw new AppError('unavailable', 'The root was removed while it was read.')
    positions = undefined
  }
}

async function readPositions(
  store: Reads,
  roots: RootBytes,
  rootId: string,
): Promise<RootPositions | undefined> {
  const positions = await store.findPositions(roots.projectId, rootId)
  if (positions) roots.keepPositions(positions)
  return positions
}

/** Those with a job in them. One without, where there is no job at all. */
function* rangesOf({ first, last, only }: RootPositions): Generator<Range> {
  for (let from = first; ; ) {
    const to = Math.min(from + POSITIONS_AT_ONCE - 1, last)
    yield { first: from, last: to }
    if (to >= last) return
    from = only?.find((position) => position > to) ?? to + 1
  }
}

/** By itself: what a generator has had in its hands it holds until it goes on. Undefined where a job is missing. */
async function makePart(
  store: Reads,
  roots: RootBytes,
  positions: RootPositions,
  range: Range,
): Promise<LargeRootPart | undefined> {
  const { head } = positions
  const bytes = roots.keptPart(head, range.first) ?? (await renderPart(store, roots, positions, range))
  if (bytes === undefined) return undefined
  const before = range.first === positions.first ? openRoot(head) : ','
  const last = range.last === positions.last
  return { head, parts: [before, bytes, last ? CLOSE_ROOT : ''], last }
}

async function renderPart(
  store: Reads,
  roots: RootBytes,
  { head, only }: RootPositions,
  { first, last }: Range,
): Promise<Buffer | string | undefined> {
  const read = await store.textsBetween(roots.projectId, head, { first, last })
  const expected = only && new Set(only.filter((position) => position >= first && position <= last))
  const jobs = expected ? read.filter(({ position }) => expected.has(position)) : read
  if (jobs.length < (expected?.size ?? last - first + 1)) return undefined
  return roots.renderPart(head, first, jobs)
}
