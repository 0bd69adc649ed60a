import type { RootHead, RootPosition, Store } from './store.ts'

/** Few at first, so that the first root comes soon. */
const FIRST_HEADS = 20
const HEADS_AT_ONCE = 500

export interface Heads {
  readonly heads: RootHead[]
  /** No roots follow. */
  readonly last: boolean
}

/**
 * All roots of a project, newest first, or those after `start` and created at `from` or later. They come in groups. No
 * transaction stays open in between.
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
  for (let limit = FIRST_HEADS; ; limit = HEADS_AT_ONCE) {
    const found = await store.pageRoots(projectId, { after, limit })
    const heads = found.filter(({ created }) => created >= from)
    const last = heads.length < limit
    yield { heads, last }
    if (last) return
    after = heads.at(-1)
  }
}
