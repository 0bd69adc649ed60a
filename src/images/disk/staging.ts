import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Pictures on their way in lie here until they are published; on the same file system, so that a rename does it. */
export const STAGING = '.staging'
/** What a killed process left in staging is removed once no import can still be using it. */
const KEPT_MS = 24 * 3_600_000

/** Answers how many batches were removed. */
export async function tidyStaging(root: string): Promise<number> {
  const oldest = Date.now() - KEPT_MS
  let removed = 0
  for (const name of await readdir(join(root, STAGING))) {
    const path = join(root, STAGING, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (mtimeMs >= oldest) continue
    await rm(path, { recursive: true, force: true }).then(
      () => removed++,
      () => {},
    )
  }
  return removed
}
