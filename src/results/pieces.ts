import { AppError } from '../errors.ts'
import type { RootTexts } from '../store/job-text.ts'
import type { RootHead, Store } from '../store/store.ts'
import type { Heads } from '../store/walk-roots.ts'
import { renderLargeRoot, WHOLE_ROOT } from './large-root.ts'
import type { RootBytes } from './root-bytes.ts'

/**
 * Jobs of one piece: half a millisecond of work, and all that an answer holds in memory. Their text stays below 128 KB. V8
 * keeps a longer text outside of its young generation, and freeing it takes tens of milliseconds.
 */
const JOBS_AT_ONCE = 100
/** The first piece is small: the first byte of a long answer comes as soon as that of a short one. */
const FIRST_JOBS = 20

type Bytes = Buffer | string

/** The next bytes of an answer. Making a piece takes about a millisecond. Then other clients have their turn. */
export interface Piece {
  /**
   * May be empty: then the turn ended before anything was found. The reader empties it: the generator would keep it in
   * memory until its next step.
   */
  readonly parts: Bytes[]
  /** It is the last piece. */
  readonly last: boolean
  /** For one root: the ETag of the data that was read. The root may have changed since it was looked up. */
  readonly etag?: string
}

export const NOTHING_YET: Piece = { parts: [], last: false }

/** Neighbouring roots that are read together, or one large root. */
interface Group {
  readonly heads: readonly RootHead[]
  /** The bytes of each root, if they are kept. */
  readonly kept: readonly (Buffer | undefined)[]
  /** The other roots, by id. Without those that were removed meanwhile. */
  readonly read: ReadonlyMap<string, RootTexts>
  readonly last: boolean
}

const NONE: ReadonlyMap<string, RootTexts> = new Map()

type Reads = Pick<Store, 'textsOf' | 'findPositions' | 'textsBetween'>
type Walk = AsyncIterable<Heads> | Iterable<Heads>

/** One root: all pieces are of one revision. Throws `not_found` if it was removed after it was looked up. */
export async function* makeRootPieces(
  store: Reads,
  roots: RootBytes,
  found: RootHead,
): AsyncGenerator<Piece> {
  let isThere = false
  if (isLarge(found)) {
    for await (const { head, parts, last } of renderLargeRoot(store, roots, found)) {
      yield { parts, last, etag: roots.etag(head.revision) }
      isThere = true
    }
  } else {
    const kept = roots.kept(found)
    const read = kept ? undefined : (await store.textsOf(roots.projectId, [found.rootId])).get(found.rootId)
    const { revision } = read?.head ?? found
    const bytes = kept ?? (read && roots.render(read))
    if (bytes) yield { parts: [bytes], last: true, etag: roots.etag(revision) }
    isThere = bytes !== undefined
  }
  if (!isThere) throw new AppError('not_found')
}

/** A list of roots. Each root is of one revision. Roots that are removed before they are read are left out. */
export async function* makeListPieces(store: Reads, roots: RootBytes, walk: Walk): AsyncGenerator<Piece> {
  let before = '['
  /** The text before the next root. */
  const separate = () => {
    const text = before
    before = ','
    return text
  }
  const groups = readGroups(store, roots, walk)
  const read = () => {
    const group = groups.next()
    // A failure is thrown where the group is awaited. If nothing awaits it, it must not count as unhandled.
    group.catch(() => {})
    return group
  }
  let reading = read()
  for (let first = true; ; first = false) {
    const { value: group, done } = await reading
    if (done) return
    // A database server reads the next group meanwhile. Not before the first piece: that would delay the first byte.
    if (!first) reading = read()
    const { heads, last } = group
    const [head] = heads
    if (head && isLarge(head)) {
      let isThere = false
      for await (const { parts, last: ends } of renderLargeRoot(store, roots, head)) {
        if (!isThere) parts.unshift(separate())
        if (ends && last) parts.push(']')
        yield { parts, last: ends && last }
        isThere = true
      }
      if (!isThere) yield last ? { parts: [end(before)], last } : NOTHING_YET
    } else {
      const parts = renderGroup(roots, group, separate)
      if (last) parts.push(end(before))
      yield { parts, last }
    }
    if (last) return
    if (first) reading = read()
  }
}

/** The end of a list, even if no root was written. */
function end(before: string): string {
  return before === '[' ? '[]' : ']'
}

function renderGroup(roots: RootBytes, { heads, kept, read }: Group, separate: () => string): Bytes[] {
  const parts: Bytes[] = []
  for (const [index, head] of heads.entries()) {
    const texts = read.get(head.rootId)
    const bytes = kept[index] ?? (texts && roots.render(texts))
    if (bytes) parts.push(separate(), bytes)
  }
  return parts
}

/** Roots of a group are read with their jobs in one query, so each is of one revision. */
async function* readGroups(store: Reads, roots: RootBytes, walk: Walk): AsyncGenerator<Group> {
  let room = FIRST_JOBS
  for await (const { heads, last } of walk) {
    let from = 0
    do {
      const some = takeGroup(heads, from, room)
      from += some.length
      room = JOBS_AT_ONCE
      const kept = some.map((head) => (isLarge(head) ? undefined : roots.kept(head)))
      const missing = some.filter((head, index) => !kept[index] && !isLarge(head)).map((head) => head.rootId)
      const read = missing.length === 0 ? NONE : await store.textsOf(roots.projectId, missing)
      yield {
        heads: some,
        kept,
        read,
        last: last && from === heads.length,
      }
    } while (from < heads.length)
  }
}

/** As many roots as fit with their jobs. A larger root is a group of its own. */
function takeGroup(heads: readonly RootHead[], from: number, room: number): RootHead[] {
  let to = from
  for (let jobs = 0; to < heads.length; to++) {
    const head = heads[to] as RootHead
    jobs += head.jobCount
    if (to > from && (jobs > room || isLarge(head))) break
    if (isLarge(head)) return [head]
  }
  return heads.slice(from, to)
}

function isLarge(head: RootHead): boolean {
  return head.jobCount > WHOLE_ROOT
}
