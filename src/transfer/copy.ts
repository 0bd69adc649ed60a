import { AppError } from '../errors.ts'
import type { RootHead } from '../store/store.ts'
import { keysOf, stagePictures } from './pictures.ts'
import { eachRoot, type Transfer, type Watch } from './transfer.ts'

export interface Copied {
  readonly roots: number
  readonly pictures: number
  /** Roots that were there already. */
  readonly present: number
}

/**
 * Copies projects, keys, and roots with their pictures. What is there already is left alone, so that a run that was
 * killed goes on where it was. Others may read and add meanwhile: a project is gone over again until nothing came.
 */
export async function copyAll(transfer: Transfer, watch: Watch): Promise<Copied> {
  const { store } = transfer.from
  const copied = { roots: 0, pictures: 0, present: 0 }
  for (const { projectId } of await store.listProjects()) {
    await copyProject(transfer, projectId)
    const revisionNow = async () => (await store.findProject(projectId))?.revision
    for (let first = true, seen: string | undefined; !watch.signal.aborted; first = false) {
      const revision = await revisionNow()
      if (revision === seen) break
      seen = revision
      await eachRoot(transfer, projectId, watch, async (head) => {
        const added = await copyRoot(transfer, projectId, head)
        if (added) {
          copied.roots++
          copied.pictures += head.jobCount
          watch.onPictures(head.jobCount)
        } else if (first) {
          copied.present++
          watch.onPresent(head.jobCount)
        }
      })
    }
  }
  return copied
}

async function copyProject({ from, to }: Transfer, projectId: string): Promise<void> {
  const project = await from.store.findProject(projectId)
  if (project && !(await to.store.findProject(projectId))) await to.store.createProject(project)
  const there = new Map((await to.store.listKeys(projectId)).map((key) => [key.keyId, key]))
  for (const key of await from.store.listKeys(projectId)) {
    const known = there.get(key.keyId)
    if (!known) await to.store.createKey(key)
    else if (key.revoked !== undefined && known.revoked === undefined)
      await to.store.revokeKey(key.keyId, key.revoked)
  }
}

/** False where it was there. Throws `conflict` where it cannot be. */
export async function copyRoot(transfer: Transfer, projectId: string, head: RootHead): Promise<boolean> {
  const { from, to, rowsOnly } = transfer
  const there = await to.store.findRoot(projectId, head.rootId)
  if (there?.digest === head.digest) return false
  if (there) throw new AppError('conflict', 'exists there with other content')
  const jobs = await from.store.jobsOf(projectId, [head.rootId])
  const root = { projectId, rootId: head.rootId, created: head.created, digest: head.digest, jobs }
  if (rowsOnly) return (await to.store.addRoot(root, async () => {})) === 'added'
  const batch = await to.images.startBatch()
  try {
    await stagePictures(transfer, keysOf(projectId, jobs), batch)
    return (await to.store.addRoot(root, () => batch.publish())) === 'added'
  } finally {
    await batch.discard()
  }
}
