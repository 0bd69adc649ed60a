import { AppError } from '../errors.ts'
import { inParallel } from '../in-parallel.ts'
import { type Imported, type Intake, prepareRoot } from './import-root.ts'
import type { Submission } from './submission.ts'

/** Something to import, and where it stands, for messages. */
export interface Entry {
  readonly where: string
  /** Throws `bad_request` where it is no root. */
  parse(): Submission | Promise<Submission>
}

export type Outcome = { readonly where: string; readonly jobs: number } & (
  | Imported
  | { readonly outcome: 'failed'; readonly reason: string }
)

export interface Watch {
  /** Called as pictures are done with, whether they were added, present or refused. */
  onPictures?: (count: number) => void
  /** No further entry is begun after it; those under way are finished. */
  signal?: AbortSignal
}

const ROOTS_AT_ONCE = 4

/**
 * Imports entry after entry: several are prepared at a time, but they are added in their order, so that of two that
 * contradict each other the first one stays. What is wrong with one entry is its outcome and does not stop the
 * others; what is wrong with the storage stops everything, since no later entry could fare better.
 */
export async function* importAll(
  intake: Intake,
  projectId: string,
  entries: Iterable<Entry> | AsyncIterable<Entry>,
  watch: Watch = {},
): AsyncGenerator<Outcome> {
  const staged = new Set<Prepared>()
  const prepareEntry = async (entry: Entry) => {
    const prepared = await prepare(intake, projectId, entry, watch)
    staged.add(prepared)
    return prepared
  }
  try {
    const wanted = takeUntil(entries, watch.signal)
    for await (const prepared of inParallel(wanted, ROOTS_AT_ONCE, prepareEntry)) {
      staged.delete(prepared)
      yield await prepared.add()
    }
  } finally {
    for (const prepared of staged) await prepared.discard()
  }
}

interface Prepared {
  /** Throws what the storage threw, now or while this entry was prepared: in its turn, and no earlier. */
  add(): Promise<Outcome>
  discard(): Promise<void>
}

async function prepare(intake: Intake, projectId: string, entry: Entry, watch: Watch): Promise<Prepared> {
  const { where } = entry
  let jobs = 0
  let counted = 0
  const count = (pictures: number) => {
    counted += pictures
    watch.onPictures?.(pictures)
  }
  const finish = async (imported: () => Promise<Imported>): Promise<Outcome> => {
    try {
      return { where, jobs, ...(await imported()) }
    } catch (error) {
      if (!(error instanceof AppError) || !['bad_request', 'conflict'].includes(error.code)) throw error
      return { where, jobs, outcome: 'failed', reason: error.message }
    } finally {
      count(jobs - counted)
    }
  }
  try {
    const submission = await entry.parse()
    jobs = submission.jobs.length
    const root = await prepareRoot(intake, projectId, submission, () => count(1))
    return { add: () => finish(root.add), discard: root.discard }
  } catch (error) {
    return { add: () => finish(() => Promise.reject(error)), discard: async () => {} }
  }
}

async function* takeUntil<T>(items: Iterable<T> | AsyncIterable<T>, signal?: AbortSignal): AsyncGenerator<T> {
  for await (const item of items) {
    if (signal?.aborted) return
    yield item
  }
}
