import { removeProject, removeRoot } from './remove.ts'
import { removePictures, type StoreAndImages } from './remove-pictures.ts'

/** Work that began before a project was removed has ended by then. */
const FORGOTTEN_AFTER_MS = 24 * 3_600_000

/** Continues interrupted removals, and forgets projects that were removed a day ago. */
export async function finishRemovals(
  storage: StoreAndImages,
  { now, signal }: { now: number; signal: AbortSignal },
): Promise<void> {
  for (const { projectId, rootId, since = now } of await storage.store.removals.findInterrupted()) {
    if (signal.aborted) return
    if (rootId !== undefined) await removeRoot(storage, projectId, rootId, now)
    else {
      await removeProject(storage, projectId, now)
      if (since < now - FORGOTTEN_AFTER_MS) await forgetProject(storage, projectId)
    }
  }
}

/** Removes all pictures of the project: no row points at them. */
async function forgetProject(storage: StoreAndImages, projectId: string): Promise<void> {
  const isShared = await storage.images.isShared()
  if (!isShared) {
    for await (const some of storage.images.walk(projectId))
      if (some.length > 0)
        await removePictures(
          storage,
          projectId,
          some.map(({ key }) => key),
        )
  }
  await storage.store.removals.forgetProject(projectId)
}
