import { AppError } from '../errors.ts'
import { inParallel } from '../work/limiter.ts'
import { type Intake, prepareRoot } from './import-root.ts'
import type { Imported, Submission } from './submission.ts'

/** One root to import. `where`: its file and line, for messages. */
export interface Entry {
  readonly where: string
  /** Throws `bad_request` if it is not a root. */
  parse(): Submission | Promise<Submission>
}

export type ImportOutcome = { readonly where: string; readonly jobs: number } & (
  | Imported
  | { readonly outcome: 'failed'; readonly reason: string }
)

export interface ImportControl {
  /** Called when pictures were added, found present, or refused. */
  onPictures?: (count: number) => void
  /** If it is aborted, no further entry begins. Entries under way are finished. */
  signal?: AbortSignal
}

const ROOTS_AT_ONCE = 4

/**
 * Imports one entry after the other. Several are prepared at a time, but they are added in their order: if two entries
 * conflict, the first one wins. A mistake in an entry is its outcome, and does not stop the others. A failure of the
 * storage stops everything: later entries would fail, too.
 */
export async function* importAll(
  intake: Intake,
  projectId: string,
  entries: Iterable<Entry> | AsyncIterable<Entry>,
  control: ImportControl = {},
): AsyncGenerator<ImportOutcome> {
  const staged = new Set<Prepared>()
  const prepareEntry = async (entry: Entry) => {
    const prepared = await prepare(intake, projectId, entry, control)
    staged.add(prepared)
    return prepared
  }
  try {
    const wanted = takeUntil(entries, control.signal)
    for await (const prepared of inParallel(wanted, ROOTS_AT_ONCE, prepareEntry)) {
      staged.delete(prepared)
      yield await prepared.add()
    }
  } finally {
    for (const prepared of staged) await prepared.discard()
  }
}

type Prepared = Awaited<ReturnType<typeof prepare>>

/** `add` throws if the storage failed, now or while this entry was prepared. So errors come in the order of the entries. */
async function prepare(intake: Intake, projectId: string, entry: Entry, control: ImportControl) {
  const { where } = entry
  let jobs = 0
  let counted = 0
  const count = (pictures: number) => {
    counted += pictures
    control.onPictures?.(pictures)
  }
  const finish = async (imported: () => Promise<Imported>): Promise<ImportOutcome> => {
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
