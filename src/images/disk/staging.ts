import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Pictures on their way in lie here until they are published; on the same file system, so that a rename does it. */
export const STAGING = '.staging'
/** What a killed process left in staging is removed once no import can still be using it. */
const KEPT_MS = 24 * 3_600_000

/** `lastSeen`, if given: only what was there at the last look, and has not changed since. A clock may have jumped. */
export async function tidyStaging(root: string, lastSeen?: Map<string, number>): Promise<number> {
  const oldest = Date.now() - KEPT_MS
  const seen = new Map<string, number>()
  let removed = 0
  for (const name of await readdir(join(root, STAGING)).catch(() => [])) {
    const path = join(root, STAGING, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    seen.set(name, mtimeMs)
    if (mtimeMs >= oldest || (lastSeen && lastSeen.get(name) !== mtimeMs)) continue
    await rm(path, { recursive: true, force: true }).then(
      () => removed++,
      () => {},
    )
  }
  lastSeen?.clear()
  for (const [name, mtimeMs] of seen) lastSeen?.set(name, mtimeMs)
  return removed
}
