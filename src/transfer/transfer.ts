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
  /** Called as pictures are done with. */
  onPictures(count: number): void
  /** Called for pictures that an earlier run was done with. */
  onPresent(count: number): void
  /** What is wrong with one root; the others go on. */
  onProblem(rootId: string, reason: string): void
  /** No further root is begun after it; those under way are finished. */
  readonly signal: AbortSignal
}

/** With `PICTURES_AT_ONCE` in each of them, as many as a bucket answers at a time. */
const ROOTS_AT_ONCE = 8
export const PICTURES_AT_ONCE = 8

/**
 * Works on all roots of a project, a few at a time. What is wrong with a root is reported and does not stop the
 * others; what is wrong with the storage stops everything, since no other root could fare better.
 */
export async function eachRoot(
  { from }: Transfer,
  projectId: string,
  watch: Watch,
  work: (head: RootHead) => Promise<void>,
): Promise<void> {
  const attempt = async (head: RootHead) => {
    try {
      await work(head)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'conflict') throw error
      watch.onProblem(head.rootId, error.message)
    }
  }
  for await (const heads of walkRoots(from.store, projectId)) {
    if (watch.signal.aborted) return
    for await (const _ of inParallel(heads, ROOTS_AT_ONCE, attempt)) if (watch.signal.aborted) return
  }
}
