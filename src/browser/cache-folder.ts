import { homedir } from 'node:os'
import { join } from 'node:path'
import { makeFolders } from '../durable-folder.ts'
import type { Environment } from './browser.ts'

/** Where the user keeps what can be made again, or beside the data where the user has no such place. */
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
