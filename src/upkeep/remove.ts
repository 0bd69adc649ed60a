import { setTimeout as sleep } from 'node:timers/promises'
import { filesOf, type ImageKey, type Images, parseKey } from '../images/images.ts'
import type { Store } from '../store/store.ts'

// Rows first, then pictures: a process that is killed in between leaves pictures that no row points at, and a sweep finds
// them. Pictures stay if a second database points at them.

export interface StoreAndImages {
  readonly store: Store
  readonly images: Images
}

export async function removeRoot(
  storage: StoreAndImages,
  projectId: string,
  rootId: string,
  now: number,
): Promise<void> {
  const steps = storage.store.removals.removeRoot(projectId, rootId, now)
  for await (const pictures of steps) await removePicturesOf(storage, projectId, pictures)
}

/** A sweep removes its last row, a day later: see `sweeps.ts`. */
export async function removeProject(storage: StoreAndImages, projectId: string, now: number): Promise<void> {
  const steps = storage.store.removals.removeProject(projectId, now)
  for await (const pictures of steps) await removePicturesOf(storage, projectId, pictures)
}

async function removePicturesOf(
  storage: StoreAndImages,
  projectId: string,
  pictures: readonly string[],
): Promise<void> {
  if (pictures.length === 0 || (await storage.images.isShared())) return
  const keys = pictures.flatMap((picture) => Object.values(filesOf(projectId, { picture })))
  await removePictures(storage, projectId, keys)
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

/** Between two steps, so that a removal does not slow down readers. */
const PAUSE_MS = 10

/** Removes projects in the background. A sweep ends what is interrupted. */
export function openProjectRemovals(
  storage: StoreAndImages,
  onFailure: (error: unknown, projectId: string) => void,
) {
  const closing = new AbortController()
  const underWay = new Set<Promise<void>>()
  const finish = async (projectId: string, steps: AsyncGenerator<readonly string[]>) => {
    for await (const pictures of steps) {
      await removePicturesOf(storage, projectId, pictures)
      if (closing.signal.aborted) return
      await sleep(PAUSE_MS)
    }
  }
  return {
    /** Returns as soon as the project is hidden and its keys are gone. False if there is no such project. */
    async begin(projectId: string, now: number): Promise<boolean> {
      const steps = storage.store.removals.removeProject(projectId, now)
      if ((await steps.next()).done) return false
      const rest = finish(projectId, steps)
        .catch((error) => onFailure(error, projectId))
        .finally(() => underWay.delete(rest))
      underWay.add(rest)
      return true
    },
    /** Removals under way end at their next step. */
    async close(): Promise<void> {
      closing.abort()
      await Promise.all(underWay)
    },
  }
}
