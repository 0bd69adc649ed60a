import { homedir } from 'node:os'
import { join } from 'node:path'
import { makeFolders } from '../../files/durable-folder.ts'
import type { Environment } from './browser.ts'

/** The cache folder of the user, or a folder in the data if the user has none. */
export async function makeCacheFolder(dataDir: string, env: Environment): Promise<string> {
  const cache = join(env['XDG_CACHE_HOME'] ?? join(env['HOME'] ?? homedir(), '.cache'), 'proofsheet')
  try {
    await makeFolders(cache)
    return cache
  } catch {
    const beside = join(dataDir, 'browser')
    await makeFolders(beside)
    return beside
  }
}
