import { constants } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a folder, and those above it, so that a power cut does not take it back: what a folder holds is durable
 * only if the entry that names the folder is, too.
 */
export async function makeDurableFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  // The folder above also where nothing was made: whoever made this one may have been killed before it got there.
  const last = dirname(first ?? path)
  for (let above = dirname(path); ; above = dirname(above)) {
    await syncFolder(above).catch(ignoreUnreadable)
    if (above === last || above === dirname(above)) return
  }
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
