import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Pictures are written here until they are published. On the same file system, so that publishing is a rename. */
export const STAGING = '.staging'
/** Files of killed processes are removed after this time: no import can still use them. */
const KEPT_MS = 24 * 3_600_000

/** Makes something in the folder. It is missing if nothing could be written at the start. */
export async function makeInStaging(root: string, make: () => Promise<unknown>): Promise<void> {
  try {
    await make()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    // If the folder of pictures itself is missing, that is an error.
    await mkdir(join(root, STAGING), { mode: 0o700 })
    await make()
  }
}

/** With `lastSeen`, only what was there the last time and has not changed since: the clock may have jumped. */
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
