import { AppError } from '../errors.ts'
import type { RootPositions } from '../store/job-text.ts'
import type { RootHead, Store } from '../store/store.ts'
import { CLOSE_ROOT, openRoot } from './render.ts'
import type { RootBytes } from './root-bytes.ts'

/** A root with more jobs than this is read in parts. */
export const WHOLE_ROOT = 100
const POSITIONS_AT_ONCE = 100
/** The name of the positions among the parts that are kept. Clients that read a root at the same time share them. */
const POSITIONS = ' positions'

type Reads = Pick<Store, 'findPositions' | 'pageTexts'>

type Range = Pick<RootPositions, 'first' | 'last'>

/**
 * The parts of a root, all of one revision: the positions of its jobs are read once, and a job never changes. No parts if
 * the root was removed. Throws if the root or one of its jobs is removed after the first part.
 */
export async function* renderLargeRoot(store: Reads, roots: RootBytes, found: RootHead) {
  const kept = roots.kept(found, POSITIONS)
  let positions: RootPositions | undefined = kept && { head: found, ...JSON.parse(kept.toString()) }
  for (;;) {
    positions ??= await readPositions(store, roots, found.rootId)
    if (!positions) return
    let hasBegun = false
    for (const range of rangesOf(positions)) {
      const part = await makePart(store, roots, positions, range)
      if (!part) break
      yield part
      if (part.last) return
      hasBegun = true
    }
    if (hasBegun) throw new AppError('unavailable', 'The root was removed while it was read.')
    positions = undefined
  }
}

async function readPositions(store: Reads, roots: RootBytes, rootId: string) {
  const positions = await store.findPositions(roots.projectId, rootId)
  if (!positions) return undefined
  const { head, ...others } = positions
  roots.keep(head, JSON.stringify(others), POSITIONS)
  return positions
}

/** Ranges of positions that have jobs. A root without jobs has one empty range. */
function* rangesOf({ first, last, only }: RootPositions): Generator<Range> {
  for (let from = first; ; ) {
    const to = Math.min(from + POSITIONS_AT_ONCE - 1, last)
    yield { first: from, last: to }
    if (to >= last) return
    from = only?.find((position) => position > to) ?? to + 1
  }
}

/** A function of its own: a generator would keep the rows in memory until its next step. Undefined if a job is missing. */
async function makePart(store: Reads, roots: RootBytes, positions: RootPositions, range: Range) {
  const { head } = positions
  const part = ` ${range.first}`
  const bytes = roots.kept(head, part) ?? (await renderPart(store, roots, positions, range, part))
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
  part: string,
): Promise<Buffer | string | undefined> {
  const texts = await store.pageTexts(roots.projectId, head.rootId, { from: first, limit: last - first + 1 })
  // Another root may have its id by now.
  const read = texts?.head.digest === head.digest ? texts.jobs : []
  const expected = only && new Set(only.filter((position) => position >= first && position <= last))
  const jobs = read.filter(({ position }) => expected?.has(position) ?? position <= last)
  if (jobs.length < (expected?.size ?? last - first + 1)) return undefined
  return roots.keep(head, roots.renderJobs(head, jobs), part)
}
