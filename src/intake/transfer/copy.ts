import { hasSecrets } from '../../contract/options/secrets.ts'
import { optionsOfPage } from '../../contract/options-of-page.ts'
import { AppError } from '../../errors.ts'
import type { CaptureProgress, RootProgress } from '../../store/captures.ts'
import type { RootHead } from '../../store/store.ts'
import { keysOf, stagePictures } from './pictures.ts'
import { type CopiedKept, copyProject } from './project.ts'
import { eachRoot, patiently, projectIds, type Transfer, type TransferHooks } from './transfer.ts'

/**
 * Copies projects, keys, what projects keep, and roots with their pictures. It skips what is there already, so that a run can
 * continue after a kill. The service may run meanwhile; `verifyAll` copies what was added. Returns how many of each; `present` roots
 * were there already.
 */
export async function copyAll(transfer: Transfer, hooks: TransferHooks) {
  const copied = { roots: 0, pictures: 0, present: 0 }
  const kept = {} as CopiedKept
  // Before any row is copied: a service on the copy must not remove pictures whose rows are not there yet.
  if (transfer.rowsOnly) await patiently(() => transfer.to.images.setShared(), hooks)
  for (const projectId of await projectIds(transfer, hooks)) {
    if (hooks.signal.aborted) break
    const more = await patiently(() => copyProject(transfer, projectId), hooks)
    for (const [kind, count] of Object.entries(more) as [keyof CopiedKept, number][])
      kept[kind] = (kept[kind] ?? 0) + count
    await eachRoot(transfer, projectId, hooks, async (head) => {
      if (await copyRoot(transfer, projectId, head, () => hooks.onFiles(1))) {
        copied.roots++
        copied.pictures += head.jobCount
      } else {
        copied.present++
        hooks.onPresent(2 * head.jobCount)
      }
    })
  }
  return { ...copied, kept }
}

/** False if the root was there. Throws `conflict` if it cannot be copied. */
export async function copyRoot(
  transfer: Transfer,
  projectId: string,
  head: RootHead,
  onFile: () => void = () => {},
): Promise<boolean> {
  const { from, to } = transfer
  const request = await from.store.captures.findProgress(projectId, head.rootId)
  if (request?.captures.some(isUnfinished)) {
    const isLater = request.captures.every(({ state }) => state === 'scheduled')
    throw new AppError(
      'conflict',
      isLater
        ? 'is scheduled for later, and is not copied: request it there and cancel it here, or run the same command again when it is finished'
        : `is still being captured: run the same command again when it is finished${leftBehind(request)}`,
    )
  }
  const there = await to.store.findRoot(projectId, head.rootId)
  if (there && there.digest !== head.digest) throw new AppError('conflict', 'exists there with other content')
  const added = !there && (await addRoot(transfer, projectId, head, onFile))
  if (request) await to.store.captures.adopt(projectId, head.rootId, request)
  return added
}

const isUnfinished = ({ finished }: CaptureProgress) => finished === undefined

/** Secrets are for the workers of one store only. */
function leftBehind({ options, captures }: RootProgress): string {
  const pages = captures.filter(
    (capture) => isUnfinished(capture) && hasSecrets(optionsOfPage(options, capture.ownOptions)),
  )
  if (pages.length === 0) return ''
  return `. Passwords, headers and cookies are never copied: ${pages.length} of its pages still need theirs`
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
