import { AppError } from '../errors.ts'
import { inParallel } from '../in-parallel.ts'
import { type Imported, type Intake, type PreparedRoot, prepareRoot } from './import-root.ts'
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
  let failure: { error: unknown } | undefined
  const wanted = takeWhile(entries, () => !failure && !watch.signal?.aborted)
  for await (const prepared of inParallel(wanted, ROOTS_AT_ONCE, (entry) =>
    prepare(intake, projectId, entry, watch),
  )) {
    if (failure) {
      await prepared.discard()
      continue
    }
    let outcome: Outcome
    try {
      outcome = await prepared.add()
    } catch (error) {
      failure = { error }
      continue
    }
    yield outcome
  }
  if (failure) throw failure.error
}

interface PreparedEntry {
  add(): Promise<Outcome>
  discard(): Promise<void>
}

async function prepare(
  intake: Intake,
  projectId: string,
  entry: Entry,
  watch: Watch,
): Promise<PreparedEntry> {
  const { where } = entry
  let jobs = 0
  let counted = 0
  const count = (pictures: number) => {
    counted += pictures
    watch.onPictures?.(pictures)
  }
  const refused = (error: unknown): Outcome => {
    if (!(error instanceof AppError) || !['bad_request', 'conflict'].includes(error.code)) throw error
    return { where, jobs, outcome: 'failed', reason: error.message }
  }
  let root: PreparedRoot
  try {
    const submission = await entry.parse()
    jobs = submission.jobs.length
    root = await prepareRoot(intake, projectId, submission, () => count(1))
  } catch (error) {
    const outcome = refused(error)
    return {
      add: async () => {
        count(jobs - counted)
        return outcome
      },
      discard: async () => {},
    }
  }
  return {
    add: async () => {
      count(jobs - counted)
      return await root.add().then((imported) => ({ where, jobs, ...imported }), refused)
    },
    discard: root.discard,
  }
}

async function* takeWhile<T>(
  items: Iterable<T> | AsyncIterable<T>,
  wanted: () => boolean,
): AsyncGenerator<T> {
  for await (const item of items) {
    if (!wanted()) return
    yield item
  }
}
