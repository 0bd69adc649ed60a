import { AppError } from '../errors.ts'
import type { RootHead } from '../store/store.ts'
import { keysOf, stagePictures } from './pictures.ts'
import { copyProject } from './project.ts'
import { eachRoot, patiently, projectIds, type Transfer, type Watch } from './transfer.ts'

export interface Copied {
  readonly roots: number
  readonly pictures: number
  /** Roots that were there already. */
  readonly present: number
}

/**
 * Copies projects, keys, and roots with their pictures. What is there already is left alone, so that a run that was
 * killed goes on where it was. Others may read and add meanwhile; what they add, `verifyAll` copies.
 */
export async function copyAll(transfer: Transfer, watch: Watch): Promise<Copied> {
  const copied = { roots: 0, pictures: 0, present: 0 }
  // Before there is a row: whoever serves the copy must not take the pictures of what is still to come for nobody's.
  if (transfer.rowsOnly) await patiently(() => transfer.to.images.setShared(), watch)
  for (const projectId of await projectIds(transfer, watch)) {
    if (watch.signal.aborted) break
    await patiently(() => copyProject(transfer, projectId), watch)
    await eachRoot(transfer, projectId, watch, async (head) => {
      if (await copyRoot(transfer, projectId, head, () => watch.onFiles(1))) {
        copied.roots++
        copied.pictures += head.jobCount
      } else {
        copied.present++
        watch.onPresent(2 * head.jobCount)
      }
    })
  }
  return copied
}

/** False where it was there. Throws `conflict` where it cannot be. */
export async function copyRoot(
  transfer: Transfer,
  projectId: string,
  head: RootHead,
  onFile: () => void = () => {},
): Promise<boolean> {
  const { from, to } = transfer
  const request = await from.store.captures.findProgress(projectId, head.rootId)
  if (request?.captures.some(({ finished }) => finished === undefined)) {
    throw new AppError('conflict', 'is still being captured: run the same command again when it is finished')
  }
  const there = await to.store.findRoot(projectId, head.rootId)
  if (there && there.digest !== head.digest) throw new AppError('conflict', 'exists there with other content')
  const added = !there && (await addRoot(transfer, projectId, head, onFile))
  if (request) await to.store.captures.adopt(projectId, head.rootId, request)
  return added
}

async function addRoot(
  transfer: Transfer,
  projectId: string,
  head: RootHead,
  onFile: () => void,
): Promise<boolean> {
  const { from, to, rowsOnly } = transfer
  const jobs = await from.store.jobsOf(projectId, [head.rootId])
  const { rootId, created, digest } = head
  const root = { projectId, rootId, created, digest, jobs }
  if (rowsOnly) {
    const outcome = await to.store.addRoot(root, async () => {})
    for (let files = 2 * jobs.length; files > 0; files--) onFile()
    return outcome === 'added'
  }
  const batch = await to.images.startBatch()
  try {
    await stagePictures(transfer, keysOf(projectId, jobs), batch)
    return (await to.store.addRoot(root, (before) => batch.publish({ before, after: onFile }))) === 'added'
  } finally {
    await batch.discard()
  }
}
