import { constants } from 'node:fs'
import { mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Makes a folder that survives a power cut: its entry in the folder above is durable, and so are those above. */
export async function makeDurableFolder(path: string): Promise<void> {
  const first = await makeFolders(path)
  // Sync the folder above even if nothing was made: the process that made this one may have been killed before the sync.
  const last = dirname(first ?? path)
  for (let above = dirname(path); ; above = dirname(above)) {
    await syncFolder(above).catch(ignoreUnreadable)
    if (above === last || above === dirname(above)) return
  }
}

/** By default for this user alone. Returns the first that was missing. Node's recursive mkdir never ends under /proc. */
export async function makeFolders(path: string, mode = 0o700): Promise<string | undefined> {
  try {
    return await makeFolder(path, mode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const first = await makeFolders(dirname(path), mode)
  // The folder above exists now. If this one still cannot be made, give up.
  const last = await makeFolder(path, mode)
  return first ?? last
}

/** Undefined if it exists already. */
async function makeFolder(path: string, mode: number): Promise<string | undefined> {
  try {
    await mkdir(path, { mode })
    return path
  } catch (error) {
    const found = await stat(path).catch(() => undefined)
    if (found?.isDirectory()) return undefined
    throw error
  }
}

export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
  await folder.sync()
}

/** A folder that we may not open belongs to someone else, and is not synced. */
function ignoreUnreadable(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error
}
