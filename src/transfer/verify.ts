import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../errors.ts'
import type { ImageKey } from '../images/images.ts'
import type { Job, RootHead, Store } from '../store/store.ts'
import { copyRoot } from './copy.ts'
import { findMissing, keysOf, stagePictures } from './pictures.ts'
import { compareProject, copyProject } from './project.ts'
import { eachRoot, patiently, projectIds, type Transfer, type Watch } from './transfer.ts'

export interface Verified {
  /** What is the same at both ends, to the last byte. */
  readonly roots: number
  readonly pictures: number
  /** Picture files that were missing or damaged there, and were copied. */
  readonly mended: number
}

/**
 * Compares every project, key and row, and every picture by its SHA-256. What was added since `copyAll` is copied
 * first, and so are pictures that are missing or damaged.
 */
export async function verifyAll(transfer: Transfer, watch: Watch): Promise<Verified> {
  const verified = { roots: 0, pictures: 0, mended: 0 }
  for (const projectId of await projectIds(transfer, watch)) {
    await patiently(() => copyProject(transfer, projectId), watch)
    await eachRoot(transfer, projectId, watch, async (head) => {
      await copyRoot(transfer, projectId, head)
      const jobs = await compareRows(transfer, projectId, head)
      const keys = keysOf(projectId, jobs)
      const onFile = () => watch.onFiles(1)
      const mended = transfer.rowsOnly ? 0 : await compareFiles(transfer, keys, onFile)
      if (transfer.rowsOnly) for (const _ of keys) onFile()
      verified.mended += mended
      verified.roots++
      verified.pictures += jobs.length
    })
    if (watch.signal.aborted) return verified
    // Again: a key that was revoked while the pictures were read must not be valid there.
    const difference = await patiently(async () => {
      await copyProject(transfer, projectId)
      return await compareProject(transfer, projectId)
    }, watch)
    if (difference !== undefined) watch.onProblem(`project ${projectId}`, difference)
  }
  return verified
}

/** Answers the jobs where head and jobs are the same at both ends; throws `conflict` where not. */
async function compareRows({ from, to }: Transfer, projectId: string, head: RootHead): Promise<Job[]> {
  const read = async (store: Store) => {
    const root = await store.findRoot(projectId, head.rootId)
    const jobs = await store.jobsOf(projectId, [head.rootId])
    const request = await store.captures.findProgress(projectId, head.rootId)
    // A revision is each store's own, and a copy of old may count positions without gaps.
    return { ...root, request, revision: '', jobs: jobs.map((job, position) => ({ ...job, position })) }
  }
  const [here, there] = await Promise.all([read(from.store), read(to.store)])
  if (!isDeepStrictEqual(here, there)) throw new AppError('conflict', 'is not the same there')
  return here.jobs
}

/** Answers how many had to be copied. */
async function compareFiles(
  transfer: Transfer,
  keys: readonly ImageKey[],
  onFile: () => void,
): Promise<number> {
  const missing = await findMissing(transfer, keys, onFile)
  if (missing.length === 0) return 0
  const batch = await transfer.to.images.startBatch()
  try {
    await stagePictures(transfer, missing, batch)
    await batch.publish()
  } finally {
    await batch.discard()
  }
  const [still] = await findMissing(transfer, missing, onFile)
  if (still) throw new AppError('conflict', `its picture ${still} is missing there, though it was copied`)
  return missing.length
}
