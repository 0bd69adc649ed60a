import { setTimeout as sleep } from 'node:timers/promises'
import { type ImageKey, type Images, parseKey, type StoredImage } from '../images/images.ts'
import type { Store } from '../store/store.ts'

export interface Place {
  readonly store: Pick<Store, 'listProjects' | 'findTaken' | 'whileFree' | 'captures'>
  readonly images: Images
}

export interface SweepOptions {
  readonly now: number
  /** Between two looks, so that whoever reads is not held up. */
  readonly pauseMs: number
  readonly signal: AbortSignal
}

export interface Swept {
  /** Files that were looked at. */
  looked: number
  /** Files that nobody points at, and nobody is going to. */
  orphans: number
  removed: number
  /** A second database points at the pictures: so nothing was removed. */
  shared: boolean
}

/** What is on its way to a result is younger. */
export const YOUNG_MS = 24 * 3_600_000
/** Of one project at a time; the next sweep finds the rest. */
const MOST_ORPHANS = 10_000
const REMOVED_AT_ONCE = 20

/**
 * Finds files that no row points at, left by processes that were killed, and removes them. Never a younger one, and
 * none of a project that this database does not know. Where a second database points at the pictures they are counted and stay.
 */
export async function sweepOrphans(place: Place, options: SweepOptions): Promise<Swept> {
  const swept: Swept = { looked: 0, orphans: 0, removed: 0, shared: await place.images.isShared() }
  for (const { projectId } of await place.store.listProjects()) {
    const orphans = await findOrphans(place, projectId, options, swept)
    swept.orphans += orphans.length
    while (orphans.length > 0 && !options.signal.aborted) {
      // Again: a copy may have begun.
      swept.shared ||= await place.images.isShared()
      if (swept.shared) break
      swept.removed += await removeFree(place, projectId, orphans.splice(0, REMOVED_AT_ONCE))
      await sleep(options.pauseMs)
    }
    if (options.signal.aborted) break
  }
  return swept
}

async function findOrphans(
  { store, images }: Place,
  projectId: string,
  { now, pauseMs, signal }: SweepOptions,
  swept: Swept,
): Promise<ImageKey[]> {
  const unknown: StoredImage[] = []
  let newestKnown = Number.NEGATIVE_INFINITY
  for await (const some of images.walk(projectId)) {
    swept.looked += some.length
    const taken = await store.findTaken(projectId, [...new Set(some.map(({ key }) => parseKey(key).uuid))])
    for (const image of some) {
      if (taken.has(parseKey(image.key).uuid)) newestKnown = Math.max(newestKnown, image.modified)
      else if (image.modified < now - YOUNG_MS && unknown.length < MOST_ORPHANS) unknown.push(image)
    }
    if (signal.aborted) break
    await sleep(pauseMs)
  }
  // What is newer than all that this database knows may be known to the one that it was before, or a copy of.
  return unknown.filter(({ modified }) => modified < newestKnown).map(({ key }) => key)
}

/** Whoever imports has claimed the ids before, and whoever captures has written them down: so nobody is behind these. */
async function removeFree(
  { store, images }: Place,
  projectId: string,
  keys: readonly ImageKey[],
): Promise<number> {
  const uuids = [...new Set(keys.map((key) => parseKey(key).uuid))]
  let removed = 0
  await store.whileFree(projectId, uuids, async (stillOurs) => {
    const underWay = new Set((await store.captures.findUnderWay()).map(({ uuid }) => uuid))
    const free = keys.filter((key) => !underWay.has(parseKey(key).uuid))
    await images.remove(free, stillOurs)
    removed = free.length
  })
  return removed
}
