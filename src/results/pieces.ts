import { AppError } from '../errors.ts'
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

/** Items in one piece. For overviews of roots, that is as many jobs as in a piece of a list of roots. */
const ITEMS_AT_ONCE = 16

type Bytes = Buffer | string

/** The next bytes of an answer. Making a piece takes about a millisecond. Then other clients have their turn. */
export interface Piece {
  /**
   * May be empty: then the turn ended before anything was found. The reader empties it: the generator would keep it in
   * memory until its next step.
   */
  readonly parts: Bytes[]
  readonly last: boolean
  /** For one root: the ETag of the data that was read. The root may have changed since it was looked up. */
  readonly etag?: string
}

export const NOTHING_YET: Piece = { parts: [], last: false }

type Reads = Pick<Store, 'textsOf' | 'findPositions' | 'pageTexts'>
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
  /** A root, after the text before it. */
  const add = (...root: Bytes[]) => {
    const parts = [before, ...root]
    before = ','
    return parts
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
    const { large, others, last } = group
    if (large) {
      let isThere = false
      for await (const { parts, last: ends } of renderLargeRoot(store, roots, large)) {
        const more = isThere ? parts : add(...parts)
        if (ends && last) more.push(']')
        yield { parts: more, last: ends && last }
        isThere = true
      }
      if (!isThere) yield last ? { parts: [end(before)], last } : NOTHING_YET
    } else {
      const parts = others.flatMap((root) => add(Buffer.isBuffer(root) ? root : roots.render(root)))
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

/**
 * Neighbouring roots, or one large root. The roots of a group are read with their jobs in one query, so each is of one revision: their
 * bytes, if they are kept, or their texts, without those that were removed meanwhile.
 */
async function* readGroups(store: Reads, roots: RootBytes, walk: Walk) {
  let room = FIRST_JOBS
  for await (const { heads, last } of walk) {
    let from = 0
    do {
      const some = takeGroup(heads, from, room)
      from += some.length
      room = JOBS_AT_ONCE
      const large = some.find(isLarge)
      const kept = some.map((head) => (large ? undefined : roots.kept(head)))
      const missing = large ? [] : some.filter((_, index) => !kept[index]).map(({ rootId }) => rootId)
      const read = missing.length === 0 ? undefined : await store.textsOf(roots.projectId, missing)
      const others = some.flatMap(({ rootId }, index) => kept[index] ?? read?.get(rootId) ?? [])
      yield { large, others, last: last && from === heads.length }
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

/** The text of items that were read before, with commas between them, and the text before and after them. */
export async function* listPieces<T>(
  items: readonly T[],
  render: (item: T) => string,
  { open, close }: { open: string; close: string } = { open: '[', close: ']' },
): AsyncGenerator<Piece> {
  let before = open
  for (let from = 0; ; ) {
    const piece = renderSome(items.slice(from, from + ITEMS_AT_ONCE), render)
    from = Math.min(from + ITEMS_AT_ONCE, items.length)
    const last = from === items.length
    piece.unshift(before)
    if (last) piece.push(close)
    yield { parts: piece, last }
    if (last) return
    before = ','
  }
}

/** A function of its own: a generator would keep the items in memory until its next step. */
function renderSome<T>(items: readonly T[], render: (item: T) => string): string[] {
  return [items.map(render).join(',')]
}
