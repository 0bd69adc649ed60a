import { AppError } from '../errors.ts'
import { inParallel } from '../in-parallel.ts'
import { type Imported, type Intake, importRoot } from './import-root.ts'
import type { Submission } from './submission.ts'

/** Something to import, and where it stands, for messages. */
export interface Entry {
  readonly where: string
  parse(): Submission | Promise<Submission>
}

export type Outcome = { readonly where: string; readonly jobs: number } & (
  | Imported
  | { readonly outcome: 'failed'; readonly reason: string }
)

const ROOTS_AT_ONCE = 4

/**
 * Imports entry after entry. What is wrong with one is its outcome and does not stop the others; what is wrong
 * with the storage does stop everything, since no later entry could fare better.
 */
export function importAll(
  intake: Intake,
  projectId: string,
  entries: Iterable<Entry> | AsyncIterable<Entry>,
): AsyncGenerator<Outcome> {
  return inParallel(entries, ROOTS_AT_ONCE, async ({ where, parse }): Promise<Outcome> => {
    let jobs = 0
    try {
      const submission = await parse()
      jobs = submission.jobs.length
      return { where, jobs, ...(await importRoot(intake, projectId, submission)) }
    } catch (error) {
      if (!(error instanceof AppError) || !['bad_request', 'conflict'].includes(error.code)) throw error
      return { where, jobs, outcome: 'failed', reason: error.message }
    }
  })
}
