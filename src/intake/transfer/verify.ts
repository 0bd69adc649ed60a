import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../../errors.ts'
import type { ImageKey } from '../../images/images.ts'
import type { Job, RootHead, Store } from '../../store/store.ts'
import { copyRoot } from './copy.ts'
import { findMissing, keysOf, stagePictures } from './pictures.ts'
import { compareProject, copyProject } from './project.ts'
import { eachRoot, patiently, projectIds, type Transfer, type TransferHooks } from './transfer.ts'

/**
 * Compares every project, key and row, what projects keep, and every picture by its SHA-256. Before that it copies what was added since
 * `copyAll`, and pictures that are missing or damaged. Returns how many are the same at both ends, byte for byte, and how many files were
 * copied.
 */
export async function verifyAll(transfer: Transfer, hooks: TransferHooks) {
  const verified = { roots: 0, pictures: 0, mended: 0 }
  for (const projectId of await projectIds(transfer, hooks)) {
    await patiently(() => copyProject(transfer, projectId), hooks)
    await eachRoot(transfer, projectId, hooks, async (head) => {
      await copyRoot(transfer, projectId, head)
      const jobs = await compareRows(transfer, projectId, head)
      const keys = keysOf(projectId, jobs)
      const onFile = () => hooks.onFiles(1)
      const mended = transfer.rowsOnly ? 0 : await compareFiles(transfer, keys, onFile)
      if (transfer.rowsOnly) for (const _ of keys) onFile()
      verified.mended += mended
      verified.roots++
      verified.pictures += jobs.length
    })
    if (hooks.signal.aborted) return verified
    // Compared again: a key may have been revoked while the pictures were read.
    const differences = await patiently(async () => {
      await copyProject(transfer, projectId)
      return await compareProject(transfer, projectId)
    }, hooks)
    for (const [where, how] of differences) hooks.onProblem(where, how)
  }
  return verified
}

/** Returns the jobs if they and their root are the same at both ends. Throws `conflict` if not. */
async function compareRows({ from, to }: Transfer, projectId: string, head: RootHead): Promise<Job[]> {
  const read = async (store: Store) => {
    const root = await store.findRoot(projectId, head.rootId)
    const jobs = await store.jobsOf(projectId, [head.rootId])
    const request = await store.captures.findProgress(projectId, head.rootId)
    // Each store has its own revisions. An old copy may have positions without gaps.
    return { ...root, request, revision: '', jobs: jobs.map((job, position) => ({ ...job, position })) }
  }
  const [here, there] = await Promise.all([read(from.store), read(to.store)])
  if (!isDeepStrictEqual(here, there)) throw new AppError('conflict', 'is not the same there')
  return here.jobs
}

/** Returns how many pictures were copied. */
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
