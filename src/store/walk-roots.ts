import type { RootHead, RootPosition, Store } from './store.ts'

const HEADS_PER_PAGE = 100

/** All roots of a project, newest first, page by page; nothing stays open in between. */
export async function* walkRoots(
  store: Pick<Store, 'pageRoots'>,
  projectId: string,
): AsyncGenerator<RootHead[]> {
  let after: RootPosition | undefined
  for (;;) {
    const heads = await store.pageRoots(projectId, { after, limit: HEADS_PER_PAGE })
    if (heads.length > 0) yield heads
    if (heads.length < HEADS_PER_PAGE) return
    after = heads.at(-1)
  }
}
