import { type ImageKey, type Images, parseKey } from '../images/images.ts'
import type { Store } from '../store/store.ts'

export interface StoreAndImages {
  readonly store: Pick<
    Store,
    | 'listProjects'
    | 'findTaken'
    | 'whileFree'
    | 'followTime'
    | 'captures'
    | 'events'
    | 'deliveries'
    | 'removals'
    | 'endedSessions'
  >
  readonly images: Images
}

/**
 * Removes pictures that no row points at. Meanwhile no row can take their ids: an import claims its ids first, and a capture
 * writes its id first. Returns how many were removed. Removes none if one of the ids is taken.
 */
export async function removePictures(
  { store, images }: StoreAndImages,
  projectId: string,
  keys: readonly ImageKey[],
): Promise<number> {
  const names = [...new Set(keys.map((key) => parseKey(key).picture))]
  let removed = 0
  await store.whileFree(projectId, names, async (stillOurs) => {
    const underWay = new Set((await store.captures.findUnderWay()).map(({ uuid }) => uuid))
    const free = keys.filter((key) => !underWay.has(parseKey(key).picture))
    await images.remove(free, stillOurs)
    removed = free.length
  })
  return removed
}
