import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const HERE = fileURLToPath(new URL('../..', import.meta.url))

/** A checkout. The service runs from it, and its code makes the store of the service. */
export interface Tree {
  readonly program: string
  readonly openStorage: typeof import('../../src/service/storage.ts').openStorage
  readonly readConfig: typeof import('../../src/config/config.ts').readConfig
}

/** This checkout, or another version, whose tables may differ. */
export async function openTree(path = HERE): Promise<Tree> {
  const load = async <T>(file: string) => (await import(pathToFileURL(resolve(path, file)).href)) as T
  // Older versions have it elsewhere.
  const storage = ['src/service/storage.ts', 'src/storage.ts'].find((file) => existsSync(resolve(path, file)))
  const { openStorage } = await load<typeof import('../../src/service/storage.ts')>(storage ?? '')
  const { readConfig } = await load<typeof import('../../src/config/config.ts')>('src/config/config.ts')
  return { program: resolve(path, 'bin/proofsheet.js'), openStorage, readConfig }
}
