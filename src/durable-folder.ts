import { constants } from 'node:fs'
import { mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a folder, and those above it, so that a power cut does not take it back: what a folder holds is durable
 * only if the entry that names the folder is, too.
 */
export async function makeDurableFolder(path: string): Promise<void> {
  const first = await makeFolders(path)
  // The folder above also where nothing was made: whoever made this one may have been killed before it got there.
  const last = dirname(first ?? path)
  for (let above = dirname(path); ; above = dirname(above)) {
    await syncFolder(above).catch(ignoreUnreadable)
    if (above === last || above === dirname(above)) return
  }
}

/**
 * Makes a folder, and those above it, by default for this user alone. Answers the first that was not there. Not Node's
 * recursive mkdir: under /proc, where a folder that is there answers as if it were not, that one never ends.
 */
export async function makeFolders(path: string, mode = 0o700): Promise<string | undefined> {
  try {
    return await makeFolder(path, mode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const first = await makeFolders(dirname(path), mode)
  // The folder above is there now. What cannot be made in it still is never made.
  const last = await makeFolder(path, mode)
  return first ?? last
}

/** Undefined where it is there already. */
async function makeFolder(path: string, mode: number): Promise<string | undefined> {
  try {
    await mkdir(path, { mode })
    return path
  } catch (error) {
    if (await isFolder(path)) return undefined
    throw error
  }
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** A folder above ours that we may pass through but not open is someone else's to keep. */
function ignoreUnreadable(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error
}
