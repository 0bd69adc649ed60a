import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../errors.ts'
import type { Images } from '../../images/images.ts'
import type { RootHead, Store } from '../../store/store.ts'
import { walkRoots } from '../../store/walk-roots.ts'
import { inParallel } from '../../work/limiter.ts'

/** Source and target of a copy. */
export interface Transfer {
  readonly from: TransferEnd
  readonly to: TransferEnd
  /** Only rows are copied: both ends use the same pictures. */
  readonly rowsOnly: boolean
}

/** One end of a copy. */
export interface TransferEnd {
  readonly store: Store
  readonly images: Images
}

export interface TransferHooks {
  /** Called when picture files (two for each job) are done. */
  onFiles(count: number): void
  /** Called for files that an earlier run has done. */
  onPresent(count: number): void
  /** Called for a root or project that fails. The others go on. */
  onProblem(where: string, reason: string): void
  /** After an abort no new root is begun. Roots under way are finished. */
  readonly signal: AbortSignal
}

/** Together 16 pictures in memory, as for an import. */
const ROOTS_AT_ONCE = 4
export const PICTURES_AT_ONCE = 4
/** Pauses before each retry, if the storage is unavailable. */
const PATIENCE_MS = [500, 2_000, 8_000]

/**
 * Does `work` for all roots of a project, a few at a time. A root that fails is reported and does not stop the others. A
 * storage that stays unavailable stops everything.
 */
export async function eachRoot(
  { from }: Transfer,
  projectId: string,
  hooks: TransferHooks,
  work: (head: RootHead) => Promise<void>,
): Promise<void> {
  const attempt = async (head: RootHead) => {
    try {
      await patiently(() => work(head), hooks)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'conflict') throw error
      hooks.onProblem(`root ${head.rootId}`, error.message)
    }
  }
  const pageRoots: Store['pageRoots'] = (...page) => patiently(() => from.store.pageRoots(...page), hooks)
  for await (const { heads } of walkRoots({ pageRoots }, projectId)) {
    if (hooks.signal.aborted) return
    for await (const _ of inParallel(heads, ROOTS_AT_ONCE, attempt)) if (hooks.signal.aborted) return
  }
}

export async function projectIds({ from }: Transfer, hooks: TransferHooks): Promise<string[]> {
  return (await patiently(() => from.store.listProjects(), hooks)).map(({ projectId }) => projectId)
}

/** Repeats the work for a while if the storage is unavailable. */
export async function patiently<T>(
  work: () => Promise<T>,
  { signal }: Pick<TransferHooks, 'signal'>,
): Promise<T> {
  for (const pause of PATIENCE_MS) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'unavailable' || signal.aborted) throw error
    }
    await sleep(pause)
  }
  return await work()
}
