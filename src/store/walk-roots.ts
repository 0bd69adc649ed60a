import type { RootHead, RootPosition, Store } from './store.ts'

/** Few at first, so that whoever waits for the first of them does not wait for many. */
const FIRST_PAGE = 20
const HEADS_PER_PAGE = 500

export interface Heads {
  readonly heads: RootHead[]
  /** Nothing follows. */
  readonly last: boolean
}

/**
 * All roots of a project, or those behind `start` and created at `from` or later: newest first, page by page; nothing
 * stays open in between.
 */
export async function* walkRoots(
  store: Pick<Store, 'pageRoots'>,
  projectId: string,
  {
    start,
    from = Number.NEGATIVE_INFINITY,
  }: { start?: RootPosition | undefined; from?: number | undefined } = {},
): AsyncGenerator<Heads> {
  let after = start
  for (let limit = FIRST_PAGE; ; limit = HEADS_PER_PAGE) {
    const found = await store.pageRoots(projectId, { after, limit })
    const heads = found.filter(({ created }) => created >= from)
    const last = heads.length < limit
    yield { heads, last }
    if (last) return
    after = heads.at(-1)
  }
}
