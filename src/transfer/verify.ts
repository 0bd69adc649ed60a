import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../errors.ts'
import type { ImageKey } from '../images/images.ts'
import type { Job, RootHead, Store } from '../store/store.ts'
import { copyRoot } from './copy.ts'
import { findDifferent, keysOf, stagePictures } from './pictures.ts'
import { eachRoot, type Transfer, type Watch } from './transfer.ts'

export interface Verified {
  /** What is the same at both ends, to the last byte. */
  roots: number
  pictures: number
  /** Picture files that were missing or different there, and were copied once more. */
  mended: number
}

/** Compares every row, and every picture by its SHA-256. Call it after `copyAll`. */
export async function verifyAll(transfer: Transfer, watch: Watch): Promise<Verified> {
  const verified: Verified = { roots: 0, pictures: 0, mended: 0 }
  for (const { projectId } of await transfer.from.store.listProjects()) {
    await eachRoot(transfer, projectId, watch, async (head) => {
      // Someone may have added it since.
      await copyRoot(transfer, projectId, head)
      const jobs = await compareRows(transfer, projectId, head)
      const keys = transfer.rowsOnly ? [] : keysOf(projectId, jobs)
      const different = await findDifferent(transfer, keys)
      if (different.length > 0) await mend(transfer, different)
      verified.mended += different.length
      verified.roots++
      verified.pictures += jobs.length
      watch.onPictures(jobs.length)
    })
  }
  return verified
}

/** Answers the jobs where head and jobs are the same at both ends; throws `conflict` where not. */
async function compareRows({ from, to }: Transfer, projectId: string, head: RootHead): Promise<Job[]> {
  const read = async (store: Store) => {
    const root = await store.findRoot(projectId, head.rootId)
    const jobs = await store.jobsOf(projectId, [head.rootId])
    // A revision is each store's own, and a position counts without gaps there.
    return { ...root, revision: '', jobs: jobs.map((job, position) => ({ ...job, position })) }
  }
  const [here, there] = await Promise.all([read(from.store), read(to.store)])
  if (!isDeepStrictEqual(here, there)) throw new AppError('conflict', 'is not the same there')
  return here.jobs
}

/** A picture never changes once a result points at it, so that putting the right bytes there is always right. */
async function mend(transfer: Transfer, keys: readonly ImageKey[]): Promise<void> {
  const batch = await transfer.to.images.startBatch()
  try {
    await stagePictures(transfer, keys, batch)
    await batch.publish()
  } finally {
    await batch.discard()
  }
  const [still] = await findDifferent(transfer, keys)
  if (still) throw new AppError('conflict', `its picture ${still} is not the same there, though copied again`)
}
