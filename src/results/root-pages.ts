import type { RootFilter } from '../store/browsing.ts'
import type { RootHead, RootPosition, Store } from '../store/store.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { effortOf, type IsGone, searchRoots } from './search.ts'

/** Jobs that are looked at for one page. After that it is answered as it is, and whoever wants more goes on. */
const JOBS_PER_PAGE = 100_000

/** What is asked for. */
export interface RootPage {
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Where a page begins. Throws `bad_request` for a bad cursor. */
export function placeOf({ cursor }: RootPage): RootPosition | undefined {
  if (cursor === undefined) return undefined
  const { created, id } = decodeCursor(cursor)
  return { created, rootId: id }
}

/** The roots of one page, and where the next begins. */
export async function findRootPage(
  store: Store,
  projectId: string,
  page: { after: RootPosition | undefined; limit: number; filter: RootFilter | undefined; isGone?: IsGone },
): Promise<{ heads: RootHead[]; nextCursor: string | undefined }> {
  const { heads, last } = page.filter
    ? await search(store, projectId, page, page.filter)
    : await take(store, projectId, page)
  return { heads, nextCursor: last && encodeCursor({ created: last.created, id: last.rootId }) }
}

interface Found {
  readonly heads: RootHead[]
  /** The last one that was looked at, if others follow. */
  readonly last: RootHead | undefined
}

async function take(
  store: Store,
  projectId: string,
  { after, limit }: { after: RootPosition | undefined; limit: number },
): Promise<Found> {
  const heads = await store.pageRoots(projectId, { after, limit: limit + 1 })
  const shown = heads.slice(0, limit)
  return { heads: shown, last: heads.length > limit ? shown.at(-1) : undefined }
}

async function search(
  store: Store,
  projectId: string,
  { after, limit, isGone }: { after: RootPosition | undefined; limit: number; isGone?: IsGone },
  filter: RootFilter,
): Promise<Found> {
  const found: RootHead[] = []
  let effort = 0
  for await (const looked of searchRoots(store, projectId, filter, { after, isGone })) {
    for (const head of looked.heads) effort += effortOf(head)
    const some = looked.found.slice(0, limit - found.length)
    found.push(...some)
    const full = found.length === limit
    const last = full && some.length > 0 ? some.at(-1) : looked.heads.at(-1)
    const atEnd = looked.last && last === looked.heads.at(-1)
    if (atEnd) return { heads: found, last: undefined }
    if (full || effort >= JOBS_PER_PAGE) return { heads: found, last }
  }
  return { heads: found, last: undefined }
}
