import type { JobText } from '../store/job-text.ts'
import type { RootHead, Store } from '../store/store.ts'
import type { Heads } from '../store/walk-roots.ts'
import { CLOSE_ROOT, openRoot } from './render.ts'
import type { RootBytes, RootPart } from './root-bytes.ts'

/**
 * Jobs read and rendered without letting other requests in: half a millisecond, and all that an answer holds. Their text
 * stays below 128 KB: what is longer V8 keeps outside its young generation, and to free it takes tens of milliseconds.
 */
const JOBS_AT_ONCE = 100
/** The first piece is small: whoever asked for very much sees the beginning as soon as who asked for little. */
const FIRST_JOBS = 20
/** A root up to this is read at one instant: as many as one request for screenshots may ask for. */
export const WHOLE_ROOT = 100

type Bytes = Buffer | string

/** Some of the bytes of an answer, in their order. Making one takes about a millisecond: others have a turn in between. */
export interface Piece {
  /**
   * May be none: then so much was looked at that it is someone else's turn. Whoever has read them empties it: what makes
   * the pieces holds on to the last one until it goes on.
   */
  readonly parts: Bytes[]
  /** Nothing follows. */
  readonly last: boolean
}

export const NOTHING_YET: Piece = { parts: [], last: false }

/** Neighbouring roots that are read together, or one large root. */
interface Group {
  readonly heads: readonly RootHead[]
  /** The bytes of each, where they are at hand. */
  readonly kept: readonly (Buffer | undefined)[]
  /** By root. */
  readonly jobs: ReadonlyMap<string, JobText[]>
  readonly last: boolean
}

const NONE: ReadonlyMap<string, JobText[]> = new Map()

type Reads = Pick<Store, 'textsOf' | 'pageTexts'>
type Pages = AsyncIterable<Heads> | Iterable<Heads>

/** Roots with commas between them, in brackets if they are a list. */
export async function* makePieces(
  store: Reads,
  roots: RootBytes,
  pages: Pages,
  { list }: { list: boolean },
): AsyncGenerator<Piece> {
  const end = list ? ']' : ''
  let before = list ? '[' : ''
  let comma = ''
  const groups = readGroups(store, roots, pages)
  const read = () => {
    const group = groups.next()
    // Whoever waits for it hears of a failure; where nobody does any more, nobody needs to.
    group.catch(() => {})
    return group
  }
  let reading = read()
  for (let first = true; ; first = false) {
    const { value: group, done } = await reading
    if (done) return
    // A database elsewhere reads the next ones meanwhile; but nothing is to hold up the first byte.
    if (!first) reading = read()
    const [head] = group.heads
    if (head) {
      before += comma
      comma = ','
    }
    if (head && isLarge(head)) {
      for await (const piece of renderLargeRoot(store, roots, head)) {
        piece.parts.unshift(before)
        yield piece
        before = ''
      }
      before = CLOSE_ROOT
      if (group.last) yield { parts: [before + end], last: true }
    } else if (!head && !group.last) {
      yield NOTHING_YET
    } else {
      yield { parts: [before, ...renderGroup(roots, group), group.last ? end : ''], last: group.last }
      before = ''
    }
    if (group.last) return
    if (first) reading = read()
  }
}

function renderGroup(roots: RootBytes, { heads, kept, jobs }: Group): Bytes[] {
  const parts: Bytes[] = []
  for (const [index, head] of heads.entries()) {
    if (index > 0) parts.push(',')
    parts.push(kept[index] ?? roots.render(head, jobs.get(head.rootId) ?? []))
  }
  return parts
}

/** Only an import makes a root this large, and nothing is added to it afterwards: it can be read in parts. */
async function* renderLargeRoot(store: Reads, roots: RootBytes, head: RootHead): AsyncGenerator<Piece> {
  let before = openRoot(head)
  for (let from: number | undefined = 0; from !== undefined; ) {
    const { piece, next }: Part = await makePart(store, roots, head, from)
    // The last part may be empty: then no comma belongs before it.
    if (piece.parts.length > 0 || from === 0) {
      piece.parts.unshift(before)
      yield piece
    }
    before = ','
    from = next
  }
}

interface Part {
  readonly piece: Piece
  /** Where the next one begins, if any. */
  readonly next: number | undefined
}

/** By itself: what a generator has had in its hands it holds until it goes on. */
async function makePart(store: Reads, roots: RootBytes, head: RootHead, from: number): Promise<Part> {
  const { bytes, next } = roots.keptPart(head, from) ?? (await renderPart(store, roots, head, from))
  return { piece: { parts: bytes.length > 0 ? [bytes] : [], last: false }, next }
}

async function renderPart(store: Reads, roots: RootBytes, head: RootHead, from: number): Promise<RootPart> {
  const jobs = await store.pageTexts(roots.projectId, head.rootId, { from, limit: JOBS_AT_ONCE })
  const next = jobs.length < JOBS_AT_ONCE ? undefined : (jobs.at(-1)?.position ?? 0) + 1
  return roots.renderPart(head, from, jobs, next)
}

/** The jobs of a group are read in one query: such a root is never half old, half new. */
async function* readGroups(store: Reads, roots: RootBytes, pages: Pages): AsyncGenerator<Group> {
  let room = FIRST_JOBS
  for await (const { heads, last } of pages) {
    let from = 0
    do {
      const some = takeGroup(heads, from, room)
      from += some.length
      room = JOBS_AT_ONCE
      const kept = some.map((head) => (isLarge(head) ? undefined : roots.kept(head)))
      const missing = some.filter((head, index) => !kept[index] && !isLarge(head)).map((head) => head.rootId)
      const jobs = missing.length === 0 ? NONE : await store.textsOf(roots.projectId, missing)
      yield {
        heads: some,
        kept,
        jobs,
        last: last && from === heads.length,
      }
    } while (from < heads.length)
  }
}

/** As many of the heads as have room for their jobs; one that is larger than that goes alone. */
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
