import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../errors.ts'
import type { Images } from '../images/images.ts'
import { inParallel } from '../in-parallel.ts'
import type { RootHead, Store } from '../store/store.ts'
import { walkRoots } from '../store/walk-roots.ts'

/** From where to where. */
export interface Transfer {
  readonly from: Place
  readonly to: Place
  /** Pictures stay where they are: both ends use the same image store. */
  readonly rowsOnly: boolean
}

export interface Place {
  readonly store: Store
  readonly images: Images
}

export interface Watch {
  /** Called as picture files (two for each job) are done with. */
  onFiles(count: number): void
  /** Called for those that an earlier run was done with. */
  onPresent(count: number): void
  /** What is wrong with one root or project; the others go on. */
  onProblem(where: string, reason: string): void
  /** No further root is begun after it; those under way are finished. */
  readonly signal: AbortSignal
}

/** Four times four pictures in memory, as for an import. */
const ROOTS_AT_ONCE = 4
export const PICTURES_AT_ONCE = 4
/** A fault that passes within these does not end a run of hours. */
const PATIENCE_MS = [500, 2_000, 8_000]

/**
 * Works on all roots of a project, a few at a time. What is wrong with a root is reported and does not stop the
 * others; what is wrong with the storage, and does not pass, stops everything.
 */
export async function eachRoot(
  { from }: Transfer,
  projectId: string,
  watch: Watch,
  work: (head: RootHead) => Promise<void>,
): Promise<void> {
  const attempt = async (head: RootHead) => {
    try {
      await patiently(() => work(head), watch)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'conflict') throw error
      watch.onProblem(`root ${head.rootId}`, error.message)
    }
  }
  const pageRoots: Store['pageRoots'] = (...page) => patiently(() => from.store.pageRoots(...page), watch)
  for await (const { heads } of walkRoots({ pageRoots }, projectId)) {
    if (watch.signal.aborted) return
    for await (const _ of inParallel(heads, ROOTS_AT_ONCE, attempt)) if (watch.signal.aborted) return
  }
}

export async function projectIds({ from }: Transfer, watch: Watch): Promise<string[]> {
  return (await patiently(() => from.store.listProjects(), watch)).map(({ projectId }) => projectId)
}

/** For what can be repeated: tries again where the storage is away, for a while. */
export async function patiently<T>(work: () => Promise<T>, { signal }: Pick<Watch, 'signal'>): Promise<T> {
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
