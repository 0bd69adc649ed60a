import { badCursor, decodeCursor, encodeCursor } from '../store/cursor.ts'
import type { RootHead, RootPosition, Store } from '../store/store.ts'
import type { AskedForMuch } from './answer.ts'
import { effortOf, type Sought, searchRoots } from './search.ts'

/** Jobs that are searched for one list page. After that, the list page is answered even if it is not full. */
const JOBS_PER_LIST_PAGE = 100_000

/** Sorts after the id of every root. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The largest number that every engine can store as a position. */
const LAST_POSITION = 2 ** 31 - 1

export interface RootListPage {
  readonly limit: number
  readonly after: RootPosition | undefined
  /** Only those created at this instant or later. */
  readonly from?: number | undefined
}

interface AskedRootListPage extends RootListPage, Pick<AskedForMuch, 'isGone' | 'inTurn'> {}

/** Where a list page begins. `to`: only roots that were created before. Throws `bad_request` for a bad cursor. */
export function startOf({
  cursor,
  to,
}: {
  readonly cursor?: string | undefined
  readonly to?: number | undefined
}): RootPosition | undefined {
  const before = to === undefined ? undefined : { created: to, rootId: LAST_ID }
  if (cursor === undefined) return before
  const { created, id } = decodeCursor(cursor)
  return before && created >= before.created ? before : { created, rootId: id }
}

export async function findRootListPage(
  store: Store,
  projectId: string,
  page: AskedRootListPage & { readonly sought: Sought | undefined },
): Promise<{ heads: RootHead[]; nextCursor: string | undefined }> {
  const { heads, last } = page.sought
    ? await search(store, projectId, page, page.sought)
    : await take(store, projectId, page)
  return { heads, nextCursor: last && encodeCursor({ created: last.created, id: last.rootId }) }
}

/** `last`: the last root that was read, if others follow. */
type Found = Awaited<ReturnType<typeof take>>

async function take(
  store: Store,
  projectId: string,
  { after, limit, from = Number.NEGATIVE_INFINITY, inTurn }: AskedRootListPage,
) {
  const found = await inTurn(() => store.pageRoots(projectId, { after, limit: limit + 1 }))
  const heads = found.filter(({ created }) => created >= from)
  const shown = heads.slice(0, limit)
  return { heads: shown, last: heads.length > limit ? shown.at(-1) : undefined }
}

async function search(
  store: Store,
  projectId: string,
  { after, limit, from, isGone, inTurn }: AskedRootListPage,
  sought: Sought,
): Promise<Found> {
  const found: RootHead[] = []
  let effort = 0
  const steps = searchRoots(store, projectId, sought, { after, from, isGone })
  for (;;) {
    const { value: step, done } = await inTurn(() => steps.next())
    if (done) return { heads: found, last: undefined }
    for (const head of step.looked) effort += effortOf(head, sought)
    const some = step.heads.slice(0, limit - found.length)
    found.push(...some)
    const full = found.length === limit
    const last = full && some.length > 0 ? some.at(-1) : step.looked.at(-1)
    const atEnd = step.last && last === step.looked.at(-1)
    if (atEnd) return { heads: found, last: undefined }
    if (full || effort >= JOBS_PER_LIST_PAGE) return { heads: found, last }
  }
}

/** The cursor of a list page of the jobs of a root: the position of its first job. */
export function encodePosition(from: number): string {
  return Buffer.from(`${from}`).toString('base64url')
}

export function decodePosition(cursor: string): number {
  const from = Number(Buffer.from(cursor, 'base64url').toString())
  if (Number.isInteger(from) && from >= 0 && from <= LAST_POSITION && encodePosition(from) === cursor)
    return from
  throw badCursor()
}
