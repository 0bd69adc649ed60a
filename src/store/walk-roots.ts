import type { RootHead, RootPosition, Store } from './store.ts'

/** Few at first, so that whoever waits for the first of them does not wait for many. */
const FIRST_PAGE = 20
const HEADS_PER_PAGE = 500

export interface Heads {
  readonly heads: RootHead[]
  /** Nothing follows. */
  readonly last: boolean
}

/** All roots of a project, or those behind `start`: newest first, page by page; nothing stays open in between. */
export async function* walkRoots(
  store: Pick<Store, 'pageRoots'>,
  projectId: string,
  start?: RootPosition,
): AsyncGenerator<Heads> {
  let after = start
  for (let limit = FIRST_PAGE; ; limit = HEADS_PER_PAGE) {
    const heads = await store.pageRoots(projectId, { after, limit })
    const last = heads.length < limit
    yield { heads, last }
    if (last) return
    after = heads.at(-1)
  }
}
