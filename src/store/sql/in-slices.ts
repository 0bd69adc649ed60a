import { otherWork } from '../../work/other-work.ts'

/** Rows of captures that one statement writes. Each may have 30 KB. */
const AT_ONCE = 25

/**
 * Writes rows a few at a time, within one transaction. Between the statements others use the event loop: SQLite works in the same
 * thread, and making a statement of a megabyte for PostgreSQL takes as long.
 */
export async function writeInSlices<Row>(
  rows: readonly Row[],
  write: (some: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    if (from > 0) await otherWork()
    await write(rows.slice(from, from + AT_ONCE))
  }
}
