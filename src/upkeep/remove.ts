import { filesOf } from '../images/images.ts'
import { removePictures, type StoreAndImages } from './remove-pictures.ts'

// Rows first, then pictures: a process that is killed in between leaves pictures that no row points at, and a sweep finds
// them. Pictures stay if a second database points at them.

/** False if there is no such root. */
export async function removeRoot(
  storage: StoreAndImages,
  projectId: string,
  rootId: string,
  now: number,
): Promise<boolean> {
  return await removeAll(storage, projectId, storage.store.removals.removeRoot(projectId, rootId, now))
}

/** False if there is no such job. */
export async function removeJob(
  storage: StoreAndImages,
  projectId: string,
  uuid: string,
  now: number,
): Promise<boolean> {
  const picture = await storage.store.removals.removeJob(projectId, uuid, now)
  if (picture === undefined) return false
  await removePicturesOf(storage, projectId, [picture])
  return true
}

/** False if there is no such project. A sweep removes its last row, a day later: see `finish-removals.ts`. */
export async function removeProject(
  storage: StoreAndImages,
  projectId: string,
  now: number,
): Promise<boolean> {
  return await removeAll(storage, projectId, storage.store.removals.removeProject(projectId, now))
}

async function removeAll(
  storage: StoreAndImages,
  projectId: string,
  pieces: AsyncGenerator<readonly string[]>,
): Promise<boolean> {
  let isFound = false
  for await (const pictures of pieces) {
    isFound = true
    await removePicturesOf(storage, projectId, pictures)
  }
  return isFound
}

export async function removePicturesOf(
  storage: StoreAndImages,
  projectId: string,
  pictures: readonly string[],
): Promise<void> {
  if (pictures.length === 0 || (await storage.images.isShared())) return
  const keys = pictures.flatMap((picture) => Object.values(filesOf(projectId, { picture })))
  await removePictures(storage, projectId, keys)
}
