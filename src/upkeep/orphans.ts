import { setTimeout as sleep } from 'node:timers/promises'
import { type ImageKey, parseKey, type StoredImage } from '../images/images.ts'
import { removePictures, type StoreAndImages } from './remove.ts'

interface SweepOptions {
  readonly now: number
  /** Between two steps, so that a sweep does not slow down readers. */
  readonly pauseMs: number
  readonly signal: AbortSignal
}

/** A file may be this old before its row is written. */
const YOUNG_MS = 24 * 3_600_000
/** Of one project. The next sweep finds the rest. */
const MOST_ORPHANS = 10_000
const REMOVED_AT_ONCE = 20

/**
 * Finds files that no row points at (killed processes leave them) and removes them. It removes no file younger than
 * `YOUNG_MS` and no file of an unknown project. If a second database points at the pictures, it only counts.
 */
export async function sweepOrphans(storage: StoreAndImages, options: SweepOptions) {
  const swept = { looked: 0, orphans: 0, removed: 0, shared: await storage.images.isShared() }
  for (const { projectId } of await storage.store.listProjects()) {
    const { looked, orphans } = await findOrphans(storage, projectId, options)
    swept.looked += looked
    swept.orphans += orphans.length
    while (orphans.length > 0 && !options.signal.aborted) {
      // Asked again: a copy may have begun.
      swept.shared ||= await storage.images.isShared()
      if (swept.shared) break
      swept.removed += await removePictures(storage, projectId, orphans.splice(0, REMOVED_AT_ONCE))
      await sleep(options.pauseMs)
    }
    if (options.signal.aborted) break
  }
  return swept
}

async function findOrphans(
  { store, images }: StoreAndImages,
  projectId: string,
  { now, pauseMs, signal }: SweepOptions,
): Promise<{ looked: number; orphans: ImageKey[] }> {
  let looked = 0
  const unknown: StoredImage[] = []
  // A database that has removed something has known all that came before.
  let newestKnown = (await store.removals.findLast(projectId)) ?? Number.NEGATIVE_INFINITY
  for await (const some of images.walk(projectId)) {
    looked += some.length
    const taken = await store.findTaken(projectId, [...new Set(some.map(({ key }) => parseKey(key).picture))])
    for (const image of some) {
      if (taken.has(parseKey(image.key).picture)) newestKnown = Math.max(newestKnown, image.modified)
      else if (image.modified < now - YOUNG_MS && unknown.length < MOST_ORPHANS) unknown.push(image)
    }
    if (signal.aborted) break
    await sleep(pauseMs)
  }
  // This database may be an old copy: files newer than its newest picture may belong to the real one.
  const orphans = unknown.filter(({ modified }) => modified < newestKnown).map(({ key }) => key)
  return { looked, orphans }
}
